// Uses the page's controls as a user does, then leaves the address, the time and the hash on the body.
"use strict";
play(false);
const millisecond = () => byId("millisecond").click();
for (let ms = 0; ms < 300; ms++) millisecond();
byId("step").click();
byId("commands").children[0].click();
byId("lost").value = 50;
byId("lost").onchange();
for (let ms = 0; ms < 5; ms++) millisecond();
byId("power1").click();
millisecond();
byId("power1").click();
for (let ms = 0; ms < 40; ms++) millisecond();
byId("line").value = "help";
byId("typed").onsubmit(new Event("submit"));
for (let ms = 0; ms < 20; ms++) millisecond();
byId("line").value = "help; ls ~ 5%3B";
byId("typed").onsubmit(new Event("submit"));
for (let ms = 0; ms < 20; ms++) millisecond();
Object.assign(document.body.dataset, {
  address: location.hash, time: run.now_ns, driven: run.state.hash, console: byId("console").textContent.length,
  error: byId("error").hidden ? "" : byId("error").textContent,
});
