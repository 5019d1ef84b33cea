// What the frame does: open and fold the sidebar, choose a theme, close what is open, find.
"use strict";
{
  const root = document.documentElement;
  const wide = window.matchMedia("(min-width: 64rem)");
  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Storage is shut: the choice lasts until the page is left.
    }
  };

  const menu = document.getElementById("menu-button");
  const isOpen = () => (wide.matches ? !root.classList.contains("folded") : root.classList.contains("menu-open"));
  const tell = () => menu?.setAttribute("aria-expanded", String(isOpen()));
  menu?.addEventListener("click", () => {
    if (wide.matches) {
      keep("sidebar", root.classList.toggle("folded") ? "folded" : "open");
    } else {
      root.classList.toggle("menu-open");
    }
    tell();
  });
  wide.addEventListener("change", tell);
  tell();
  document.querySelector("#sidebar [aria-current]")?.scrollIntoView({ block: "nearest" });

  for (const choice of document.querySelectorAll("input[name=theme]")) {
    choice.checked = choice.value === root.dataset.theme;
    choice.addEventListener("change", () => {
      keep("theme", choice.value);
      window.applyTheme();
    });
  }

  // The boxes of suggestions come without names: they take their fields'. They are made when
  // jQuery is ready, in the order of asking, so this comes after them.
  window.django?.jQuery?.(() => {
    for (const field of document.querySelectorAll("select.select2-hidden-accessible")) {
      const label = document.querySelector(`label[for="${field.id}"]`);
      const box = field.nextElementSibling?.querySelector(".select2-selection");
      if (label && box) {
        label.id ||= `${field.id}_label`;
        box.setAttribute("aria-labelledby", `${label.id} select2-${field.id}-container`);
        box.querySelector("[role=textbox]")?.setAttribute("aria-labelledby", label.id);
      }
    }
  });

  // What scrolls sideways can be reached and scrolled by keyboard; what does not is no stop.
  const reach = () => {
    for (const area of document.querySelectorAll(".scroll")) {
      if (area.scrollWidth > area.clientWidth) area.tabIndex = 0;
      else area.removeAttribute("tabindex");
    }
  };
  window.addEventListener("load", reach);
  window.addEventListener("resize", reach);

  const panels = document.querySelectorAll("details.account, details.filters");
  document.addEventListener("click", (event) => {
    for (const panel of panels) {
      if (!panel.contains(event.target)) panel.open = false;
    }
    if (root.classList.contains("menu-open") && !event.target.closest("#sidebar, #menu-button")) {
      root.classList.remove("menu-open");
      tell();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const panel of panels) {
        if (panel.open) {
          panel.open = false;
          panel.querySelector("summary").focus();
        }
      }
      if (root.classList.contains("menu-open")) {
        root.classList.remove("menu-open");
        tell();
        menu.focus();
      }
    }
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const search = document.getElementById("searchbar");
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    }
  });
}
