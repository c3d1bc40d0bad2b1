"use strict";
// Uploads files, shows the progress of their check, then the report. Text from the server only ever becomes text nodes.

const byId = (id) => document.getElementById(id);
const form = byId("form");
const input = byId("files");
const SPOKEN = 5000; // milliseconds between two announcements of the progress
let chosen = [];
let run = "";
let events = null;
let spoken = 0;

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

function show(id) {
  for (const one of ["form", "progress", "result"]) byId(one).hidden = one !== id;
  if (id !== "form") byId(id).focus();
}

function complain(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

// Files -----------------------------------------------------------------------------------------------------------

function drawFiles() {
  byId("chosen").replaceChildren(
    ...chosen.map((file, place) => {
      const button = element("button", { type: "button", textContent: "Remove", ariaLabel: `Remove ${file.name}` });
      button.addEventListener("click", () => {
        chosen.splice(place, 1);
        drawFiles();
        input.focus();
      });
      return element("li", {}, element("bdi", { textContent: file.name }), button);
    }),
  );
}

function take(files) {
  chosen.push(...files);
  drawFiles();
}

input.addEventListener("change", () => {
  take(input.files);
  input.value = "";
});
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    byId("drop").classList.toggle("over", name === "dragover");
    if (name === "drop" && !form.hidden) take(event.dataTransfer.files);
  });
}

// A check ---------------------------------------------------------------------------------------------------------

const address = (rest) => `runs/${run}/${rest}`;

function close() {
  if (events) events.close();
  if (run) navigator.sendBeacon(address("close"));
  events = null;
  run = "";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = new FormData(form);
  for (const file of chosen) body.append("files", file);
  complain("");
  const button = form.querySelector(".main");
  button.disabled = true;
  try {
    const answer = await fetch("runs", { method: "POST", body });
    const told = await answer.json();
    if (answer.ok) follow(told.run);
    else complain(told.message);
  } catch {
    complain("The server does not answer. Start citecheck serve again.");
  }
  button.disabled = false;
});

function follow(name) {
  run = name;
  spoken = 0;
  byId("status").textContent = "Reading the files";
  byId("waiting").textContent = "";
  byId("services").hidden = true;
  byId("bar").removeAttribute("value");
  show("progress");
  events = new EventSource(address("events"));
  events.addEventListener("message", (event) => draw(JSON.parse(event.data)));
  events.addEventListener("error", () => {
    if (events.readyState !== EventSource.CLOSED && !byId("progress").hidden) byId("status").textContent = "The server does not answer";
  });
}

function draw(told) {
  if (told.state === "failed") {
    close();
    show("form");
    complain(told.message);
  } else if (told.state === "done") {
    finish(told);
  } else if (told.total) {
    byId("bar").max = told.total;
    byId("bar").value = told.done;
    byId("waiting").textContent = told.waiting;
    byId("services").hidden = false;
    byId("services").tBodies[0].replaceChildren(
      ...told.services.map(([name, count]) => element("tr", {}, element("td", { textContent: name }), element("td", { textContent: count }))),
    );
    if (Date.now() - spoken > SPOKEN) {
      spoken = Date.now();
      byId("status").textContent = `${told.done} of ${told.total} queries answered`;
    }
  }
}

function finish(told) {
  if (!byId("result").hidden) return; // the connection was interrupted
  byId("report").src = address("report.html");
  byId("csv").href = address("report.csv");
  byId("save").href = address("report.html?save");
  byId("own").href = address("report.html");
  byId("fixes").replaceChildren(
    ...told.fixable.map((name) => {
      const button = element("button", { type: "button", textContent: `Download corrected ${name}` });
      button.addEventListener("click", () => correct(name, button));
      return button;
    }),
  );
  show("result");
}

async function correct(name, button) {
  button.disabled = true;
  complain("");
  try {
    const answer = await fetch(address(`corrected/${encodeURIComponent(name)}`));
    if (!answer.ok) throw new Error((await answer.json()).message);
    const link = element("a", { href: URL.createObjectURL(await answer.blob()), download: name.replace(/(\.\w+)$/, "-corrected$1") });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } catch (error) {
    complain(`${name} cannot be corrected: ${error.message}`);
  }
  button.disabled = false;
}

function restart() {
  close();
  byId("report").removeAttribute("src");
  complain("");
  show("form");
  input.focus();
}

byId("stop").addEventListener("click", restart);
byId("again").addEventListener("click", () => {
  chosen = [];
  drawFiles();
  form.elements.text.value = "";
  restart();
});
addEventListener("pagehide", close);
addEventListener("pageshow", (event) => {
  if (event.persisted) restart();
});
