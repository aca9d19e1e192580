import assert from "node:assert/strict";
import { test } from "node:test";

import { VerticalError, defineValidator, defineVertical, found } from "magpie-vertical";
import { exportsOf } from "magpie-vertical/component";
import { extract, judge, withOptions } from "magpie-vertical/testing";

import { page } from "./pages.js";

const THING = {
  object: "Thing",
  attributes: {
    title: { kind: "text", identifies: true },
    validThrough: { kind: "date-time", label: "Until" },
    tags: { kind: "text", repeated: true },
    size: "number",
    data: "properties",
  },
};

const thing = (parts) => defineVertical({ ...THING, extract: () => [], ...parts });

test("the declaration becomes the contract's description", () => {
  const { description } = exportsOf(
    thing({ options: { maxRows: { default: 50 }, mode: { default: "a", choices: ["a", "b"], summary: "Mode." } } }),
    { name: "things", version: "1.2.3", description: "Things." },
  );
  const info = description.describe();
  assert.deepEqual([info.name, info.version, info.summary, info.objectType], ["things", "1.2.3", "Things.", "Thing"]);
  assert.deepEqual(info.attributes[1], {
    name: "valid-through", kind: "date-time", label: "Until", required: false, repeated: false,
    identifies: false, query: false, expires: false, weight: 1, extra: [],
  });
  assert.equal(info.attributes[0].label, "Title");
  assert.deepEqual(info.options, [
    { name: "max-rows", kind: "integer", default: "50", choices: [], summary: "" },
    { name: "mode", kind: "choice", default: '"a"', choices: ["a", "b"], summary: "Mode." },
  ]);
  assert.deepEqual(info.routing, { contentTypes: [], schemaTypes: [], pathHints: [], onlyHinted: false });
});

test("only what is declared is exported", () => {
  assert.deepEqual(thing({}).interfaces, ["description", "extraction"]);
  assert.deepEqual(thing({ queries: () => [] }).interfaces, ["description", "extraction", "querying"]);
  assert.deepEqual(thing({ keys: () => ({}), compare: () => 0 }).interfaces, ["description", "extraction", "clustering"]);
});

test("slips in a declaration are named", () => {
  const refused = (parts, message) => assert.throws(() => thing(parts), message);
  refused({ atributes: {} }, /has no `atributes`/);
  refused({ extract: undefined }, /needs `extract/);
  refused({ extract: "x" }, /must be a function/);
  refused({ object: "" }, /what one object is called/);
  refused({ name: "Job Offers" }, /invalid name/);
  refused({ attributes: {} }, /at least one/);
  refused({ attributes: { title: { kind: "word" } } }, /unknown kind `word`/);
  refused({ attributes: { title: { kind: "text", required: true, unique: true } } }, /has no `unique`/);
  refused({ attributes: { "a title": "text" } }, /invalid attribute name/);
  refused({ options: { max: {} } }, /needs a default/);
  refused({ routing: { types: [] } }, /`routing` has no `types`/);
  refused({ keys: () => ({}) }, /go together/);
  refused({ label: () => "" }, /has no effect without/);
});

function objects(extracted, html = "<h1>One</h1><p>Two</p>") {
  const host = page(html).host;
  return exportsOf(thing({ extract: extracted }), {}).extraction.extract(host);
}

test("values become fields that know where they were read", () => {
  const [object] = objects((it) => {
    const [heading, paragraph] = [it.first("h1"), it.first("p")];
    const attributes = {
      title: heading,
      validThrough: new Date(0),
      tags: [paragraph.read("text").map((text) => text + "!"), { value: "b", from: heading }, null, " ", "c"],
      size: 1.5,
      data: { weight: "1 kg" },
    };
    return [found(attributes, { confidence: 0.5, type: "Gadget" })];
  });
  const [heading, paragraph] = ["h1", "p"].map((css) => page("<h1>One</h1><p>Two</p>").host.select(0, css)[0]);
  assert.deepEqual(object, {
    schemaType: "Gadget",
    confidence: 0.5,
    fields: [
      { path: "title", value: { tag: "text", val: "One" }, node: heading },
      { path: "valid-through", value: { tag: "text", val: "1970-01-01T00:00:00.000Z" }, node: null },
      { path: "tags", value: { tag: "text", val: "Two!" }, node: paragraph },
      { path: "tags", value: { tag: "text", val: "b" }, node: heading },
      { path: "tags", value: { tag: "text", val: "c" }, node: null },
      { path: "size", value: { tag: "real", val: 1.5 }, node: null },
      { path: "data", value: { tag: "json", val: '{"weight":"1 kg"}' }, node: null },
    ],
  });
});

test("a plain object is certain, and half a character is sent as a sign for one", () => {
  const [object] = objects(() => [{ title: "\ud83d", size: 3 }, null]);
  assert.equal(object.confidence, 1);
  assert.equal(object.fields[0].value.val, "\ufffd");
  assert.deepEqual(object.fields[1].value, { tag: "integer", val: 3 });
});

/** Lines logged as errors during the last call of `answer`. */
let logged = [];

/** The error with which a component answers. */
function answer(extracted) {
  logged = [];
  const { error: loud } = console;
  console.error = (line) => logged.push(line);
  try {
    objects(extracted);
  } catch (error) {
    return error;
  } finally {
    console.error = loud;
  }
  return assert.fail("it must answer with an error");
}

test("what is thrown becomes the contract's error", () => {
  const own = answer(() => {
    throw new VerticalError("bad-option", "No.", { attribute: "max-rows" });
  });
  assert.deepEqual(own, { code: "bad-option", message: "No.", attribute: "max-rows", retryable: false });
  const defect = answer((it) => it.first("h7").text);
  assert.equal(defect.code, "internal");
  assert.match(defect.message, /^TypeError: .*null.*\(at .*vertical\.test\.js:\d+:\d+\)+$/);
  assert.ok(logged.length >= 1 && logged[0].includes("vertical.test.js"), "the way there is logged");
  assert.ok(logged.every((line) => !line.includes("node:internal") && !line.includes("guest-js/src")), logged.join("\n"));
  assert.equal(answer((it) => it.select("[")).code, "invalid-selector");
  assert.match(answer(() => [{}, { titel: "x" }]).message, /^TypeError: object #1 \("x"\): .* no attribute `titel`; it has title, validThrough/);
  assert.match(answer(() => [{ size: NaN }]).message, /object #0: invalid value `NaN` for `size`/);
  assert.match(answer(() => [{ validThrough: () => 3 }]).message, /invalid value for `validThrough`: .* not a function/);
  const event = page('<script type="application/ld+json">{"@type": "Event"}</script>').entities("Event")[0];
  assert.match(answer(() => [{ title: event }]).message, /invalid value for `title`: .*`\.read\("name"\)`/);
  assert.match(answer(async () => []).message, /can't be async/);
  assert.match(answer(() => [found({}, { confidence: 2 })]).message, /invalid confidence 2: expected 0 to 1/);
  assert.match(answer(() => { throw "text"; }).message, /not an Error was thrown: text/);
  assert.throws(() => new VerticalError("oops", "x"), /unknown error code/);
});

test("options have their defaults until they are set", () => {
  const vertical = thing({ options: { maxRows: { default: 2 } }, extract: (_, { maxRows }) => Array(maxRows).fill({ title: "x" }) });
  assert.equal(extract(vertical, page("")).length, 2);
  assert.equal(withOptions({ maxRows: 1 }, () => extract(vertical, page(""))).length, 1);
  assert.equal(extract(vertical, page("")).length, 2);
});

test("attributes name properties of schema.org", () => {
  const attributes = { title: { kind: "text", schemaOrg: "offers.price" }, at: "coordinates" };
  const [title, at] = defineVertical({ object: "Thing", attributes, extract: () => [] }).attributes;
  assert.deepEqual([title.extra, at.extra], [[["schema.org", "offers.price"]], []]);
  assert.ok(!("schemaOrg" in title));
  const wrong = { title: { kind: "text", schemaOrg: "start date" } };
  assert.throws(() => defineVertical({ object: "Thing", attributes: wrong, extract: () => [] }), /invalid schemaOrg `start date`/);
});

test("a validator answers true, false or a judgement", () => {
  const judged = (answer) => judge(defineValidator({ object: "Thing", judge: () => answer }), page(""));
  assert.deepEqual(judged(true), { accepted: true, confidence: 1, reason: "" });
  assert.deepEqual(judged({ accepted: false, confidence: 0.5, reason: "A list" }), { accepted: false, confidence: 0.5, reason: "A list" });
  for (const wrong of [undefined, null, 1, {}, { accepted: "yes" }]) assert.throws(() => judged(wrong), /must return true, false/);
  assert.throws(() => judged({ accepted: true, confidence: 2 }), /invalid confidence 2/);
  assert.throws(() => defineValidator({ object: "Thing" }), /needs `judge\(page\)`/);
  assert.throws(() => defineValidator({ judge: () => true }), /`object` must say/);
  assert.throws(() => defineValidator({ object: "Thing", judge: () => true, extract: () => [] }), /a validator has no `extract`/);
  const { description, validation } = exportsOf(defineValidator({ object: "Thing", judge: () => true }), { name: "things", version: "1.0.0" });
  assert.deepEqual(description.describe().attributes, []);
  assert.equal(typeof validation.judge, "function");
});

test("the helper for tests gives plain objects", () => {
  const vertical = thing({ extract: () => [{ title: "One", tags: "a", data: { b: 1 } }] });
  assert.deepEqual(extract(vertical, page("")), [
    { type: "Thing", confidence: 1, attributes: { title: "One", tags: ["a"], data: { b: 1 } } },
  ]);
});
