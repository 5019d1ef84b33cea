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
        box.querySelector("[role=textbox], [role=searchbox]")?.setAttribute("aria-labelledby", label.id);
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

  // A table that is wider than a phone becomes cards: each cell says which column it is of, and
  // what holds nothing is left out.
  const narrow = window.matchMedia("(max-width: 48rem)");
  const label = (table) => {
    const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) =>
      (cell.querySelector("a") ?? cell).textContent.trim(),
    );
    for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
      [...row.cells].forEach((cell, at) => {
        const text = cell.textContent.trim();
        const holds = cell.querySelector("input, button, svg, img");
        cell.dataset.label = headings[at] || (cell.querySelector("input[type=checkbox]") ? "Choose" : "");
        cell.classList.toggle("blank", !holds && (text === "" || text === "-"));
      });
    }
  };
  const stack = () => {
    for (const area of document.querySelectorAll(".scroll:has(> table)")) {
      area.classList.remove("stacked");
      if (narrow.matches && area.scrollWidth > area.clientWidth) {
        label(area.querySelector("table"));
        area.classList.add("stacked");
      }
    }
  };
  const fit = () => {
    stack();
    reach();
  };
  fit();
  window.addEventListener("load", fit);
  window.addEventListener("resize", fit);

  // What is open closes when somebody clicks elsewhere, or goes elsewhere by keyboard.
  const panels = document.querySelectorAll("details.account, details.filters");
  const close = (target, menuStays) => {
    for (const panel of panels) {
      if (!panel.contains(target)) panel.open = false;
    }
    if (root.classList.contains("menu-open") && !target.closest(menuStays)) {
      root.classList.remove("menu-open");
      tell();
    }
  };
  document.addEventListener("click", (event) => close(event.target, "#sidebar, #menu-button"));
  // On the way from its button to the menu lies the rest of the bar.
  document.addEventListener("focusin", (event) => close(event.target, "#sidebar, .bar"));

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
