// Updates the progress of an export that is being written; reloads the page once it has finished.
"use strict";
(function () {
  const bar = document.getElementById("export-progress");
  const text = document.getElementById("export-text");
  if (!bar || !text) return;
  async function refresh() {
    try {
      const response = await fetch(bar.dataset.progress, { credentials: "same-origin" });
      if (!response.ok) throw new Error(String(response.status));
      const progress = await response.json();
      if (progress.finished) {
        location.reload();
        return;
      }
      bar.max = progress.estimated_rows;
      bar.value = progress.rows;
      if (text.textContent !== progress.text) text.textContent = progress.text;
    } catch {
      text.textContent = "No response; retrying";
    }
    setTimeout(refresh, 2000);
  }
  setTimeout(refresh, 1000);
})();
