// Tells how far a file is that is being written; shows the page anew once it is over.
"use strict";
(function () {
  const bar = document.getElementById("export-progress");
  const said = document.getElementById("export-said");
  if (!bar || !said) return;
  async function look() {
    try {
      const answer = await fetch(bar.dataset.progress, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const progress = await answer.json();
      if (progress.over) {
        location.reload();
        return;
      }
      bar.max = progress.about;
      bar.value = progress.done;
      if (said.textContent !== progress.said) said.textContent = progress.said;
    } catch {
      said.textContent = "No answer; trying again";
    }
    setTimeout(look, 2000);
  }
  setTimeout(look, 1000);
})();
