// Runs before the first paint: the theme a person chose (else the system's), the folded sidebar.
"use strict";
{
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage is shut: the system decides
    }
  };
  const apply = () => {
    const theme = kept("theme") || "system";
    root.dataset.theme = theme;
    root.classList.toggle("dark", theme === "dark" || (theme === "system" && system.matches));
    root.classList.toggle("folded", kept("sidebar") === "folded");
  };
  apply();
  system.addEventListener("change", apply);
  window.addEventListener("storage", apply);
  window.applyTheme = apply;
}
