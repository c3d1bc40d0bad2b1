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
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function button(textContent, action) {
  const made = element("button", { type: "button", textContent });
  made.addEventListener("click", () => action(made));
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
  complain("");
  const lines = chosen.map((file, place) => {
    const remove = button("Remove", () => {
      chosen.splice(place, 1);
      drawFiles();
      input.focus();
    });
    remove.ariaLabel = `Remove ${file.name}`;
    return element("li", {}, element("bdi", { textContent: file.name }), remove);
  });
  byId("chosen").replaceChildren(...lines);
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
  const submit = form.querySelector(".main");
  submit.disabled = true;
  try {
    const answer = await fetch("runs", { method: "POST", body });
    const told = await answer.json();
    if (answer.ok) follow(told.run);
    else complain(told.message);
  } catch {
    complain("The server does not answer. Start citecheck serve again.");
  }
  submit.disabled = false;
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
    const cell = (textContent) => element("td", { textContent });
    byId("services").tBodies[0].replaceChildren(...told.services.map((row) => element("tr", {}, ...row.map(cell))));
    if (Date.now() - spoken > SPOKEN) {
      spoken = Date.now();
      byId("status").textContent = `${told.done} of ${told.total} queries done`;
    }
  }
}

function finish(told) {
  if (!byId("result").hidden) return; // the connection was interrupted
  byId("report").src = address("report.html");
  byId("csv").href = address("report.csv");
  byId("save").href = address("report.html?save");
  byId("own").href = address("report.html");
  byId("fixes").replaceChildren(...told.fixable.map((name) => button(`Download corrected ${name}`, (made) => correct(name, made))));
  show("result");
  complain(told.message);
}

async function correct(name, pressed) {
  pressed.disabled = true;
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
  pressed.disabled = false;
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
