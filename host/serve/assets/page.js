"use strict";
// Makes pages nicer that work without it: times in the reader's words, and numbers that follow the
// crawl. It inserts text only, never markup.
(() => {
  const format = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (/T/.test(time.dateTime) && !isNaN(at)) {
      time.title = time.dateTime;
      time.textContent = format.format(at);
    }
  }
  for (const select of document.querySelectorAll("select[data-submit]")) {
    select.addEventListener("change", () => select.form.submit());
  }
  if (!document.querySelector("[data-live]") || !window.EventSource) return;
  const told = document.createElement("p");
  told.className = "hidden";
  told.setAttribute("aria-live", "polite");
  const stop = document.createElement("button");
  stop.type = "button";
  stop.textContent = "Stop updating";
  const main = document.querySelector("main");
  main.append(stop, told);
  let source = null;
  let toldAt = 0;
  const show = event => {
    const values = JSON.parse(event.data);
    for (const part of document.querySelectorAll("[data-live]")) {
      const value = values[part.dataset.live];
      if (typeof value === "string" && part.textContent !== value) part.textContent = value;
    }
    // Readers of the screen hear of it at most every ten seconds.
    if (Date.now() - toldAt > 10000 && values.sentence) {
      toldAt = Date.now();
      told.textContent = values.sentence;
    }
  };
  const begin = () => {
    source = new EventSource("/-/live");
    source.onmessage = show;
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
