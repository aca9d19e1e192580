"use strict";
// Makes pages nicer that work without it: times in the reader's words, and numbers that follow the
// crawl. It inserts text only, never markup.
(() => {
  const moment = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
  for (const time of document.querySelectorAll("time[datetime]:not([data-day])")) {
    const at = new Date(time.dateTime);
    if (/T/.test(time.dateTime) && !isNaN(at)) {
      time.title = time.dateTime;
      time.textContent = moment.format(at);
    }
  }
  for (const select of document.querySelectorAll("select[data-submit]")) {
    select.addEventListener("change", () => select.form.submit());
  }
  const live = document.querySelectorAll("[data-live]");
  if (!live.length || !window.EventSource) return;
  const told = document.createElement("p");
  told.className = "hidden";
  told.setAttribute("aria-live", "polite");
  const stop = document.createElement("button");
  stop.type = "button";
  stop.className = "plain";
  const state = document.querySelector('[data-live="state"]');
  (state || live[0]).closest("dl").after(stop, told);
  let source = null;
  let toldAt = 0;
  const put = values => {
    for (const part of live) {
      const value = values[part.dataset.live];
      const shown = part.querySelector("a") || part;
      if (typeof value === "string" && shown.textContent !== value) shown.textContent = value;
      if (part.dataset.live === "watch") part.classList.toggle("bad", values.is_killed === true);
    }
    // Readers of the screen hear of it at most every ten seconds.
    if (Date.now() - toldAt > 10000 && values.sentence) {
      toldAt = Date.now();
      told.textContent = values.sentence;
    }
  };
  const begin = () => {
    source = new EventSource("/-/live");
    source.onmessage = event => put(JSON.parse(event.data));
    // The browser tries again by itself.
    source.onerror = () => put({
      [state ? "state" : "watch"]: "this page’s server does not answer; trying again",
      pace: "–",
      sentence: "the server does not answer",
    });
    stop.textContent = "Stop updating";
  };
  stop.addEventListener("click", () => {
    if (source) {
      source.close();
      source = null;
      stop.textContent = "Go on updating";
    } else {
      begin();
    }
  });
  begin();
})();
