// Updates the progress of work in the background; reloads the page once it has finished.
"use strict";
(function () {
  const bar = document.getElementById("progress-bar");
  const text = document.getElementById("progress-text");
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
      if (progress.total !== null) {
        bar.max = progress.total;
        bar.value = progress.done;
      }
      if (text.textContent !== progress.text) text.textContent = progress.text;
    } catch {
      text.textContent = "No response; retrying";
    }
    setTimeout(refresh, 2000);
  }
  setTimeout(refresh, 1000);
})();
