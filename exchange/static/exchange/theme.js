// Runs before the first paint: applies the chosen theme (default: system) and the folded sidebar.
"use strict";
{
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage unavailable: use the system theme
    }
  };
  const apply = () => {
    const theme = stored("theme") || "system";
    root.dataset.theme = theme;
    root.classList.toggle("dark", theme === "dark" || (theme === "system" && system.matches));
    root.classList.toggle("folded", stored("sidebar") === "folded");
  };
  apply();
  system.addEventListener("change", apply);
  window.addEventListener("storage", apply);
  window.applyTheme = apply;
}
