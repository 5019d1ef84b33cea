// Layout behaviour: sidebar, theme, tables on small screens, panels and keyboard shortcuts.
"use strict";
{
  const root = document.documentElement;
  const wide = window.matchMedia("(min-width: 64rem)");
  const store = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Storage is unavailable: the choice lasts until the page is left.
    }
  };

  const menu = document.getElementById("menu-button");
  const isMenuOpen = () => (wide.matches ? !root.classList.contains("folded") : root.classList.contains("menu-open"));
  const updateMenuButton = () => menu?.setAttribute("aria-expanded", String(isMenuOpen()));
  menu?.addEventListener("click", () => {
    if (wide.matches) {
      store("sidebar", root.classList.toggle("folded") ? "folded" : "open");
    } else {
      root.classList.toggle("menu-open");
    }
    updateMenuButton();
  });
  wide.addEventListener("change", updateMenuButton);
  updateMenuButton();
  document.querySelector("#sidebar [aria-current]")?.scrollIntoView({ block: "nearest" });

  for (const choice of document.querySelectorAll("input[name=theme]")) {
    choice.checked = choice.value === root.dataset.theme;
    choice.addEventListener("change", () => {
      store("theme", choice.value);
      window.applyTheme();
    });
  }

  // Label the autocomplete boxes like their fields. Registered after select2's own ready handlers.
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

  // Amounts: the number as pages show it, grouped and with its unit, while it is typed.
  const number = /^(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)(?:\.\d+)?$/;
  for (const field of document.querySelectorAll(".field input[data-amount]")) {
    const reading = document.createElement("output");
    reading.className = "reading";
    reading.htmlFor = field.id;
    field.after(reading);
    const read = () => {
      const text = field.value.trim();
      const [whole, decimals] = text.replaceAll(",", "").split(".");
      const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",") + (decimals ? `.${decimals}` : "");
      reading.value = number.test(text) ? `${grouped} ${field.dataset.amount}`.trim() : "";
    };
    field.addEventListener("input", read);
    read();
  }

  // Only areas that scroll sideways are keyboard stops.
  const updateTabStops = () => {
    for (const area of document.querySelectorAll(".scroll")) {
      if (area.scrollWidth > area.clientWidth) area.tabIndex = 0;
      else area.removeAttribute("tabindex");
    }
  };

  // Tables wider than a phone become cards: each cell shows its column heading, empty cells hide.
  const narrow = window.matchMedia("(max-width: 48rem)");
  const labelCells = (table) => {
    const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) =>
      (cell.querySelector("a") ?? cell).textContent.trim(),
    );
    for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
      [...row.cells].forEach((cell, at) => {
        const text = cell.textContent.trim();
        const hasControl = cell.querySelector("input, button, svg, img");
        cell.dataset.label = headings[at] || (cell.querySelector("input[type=checkbox]") ? "Select" : "");
        cell.classList.toggle("blank", !hasControl && (text === "" || text === "-"));
      });
    }
  };
  const stackTables = () => {
    for (const area of document.querySelectorAll(".scroll:has(> table)")) {
      area.classList.remove("stacked");
      if (narrow.matches && area.scrollWidth > area.clientWidth) {
        labelCells(area.querySelector("table"));
        area.classList.add("stacked");
      }
    }
  };
  const fit = () => {
    stackTables();
    updateTabStops();
  };
  fit();
  window.addEventListener("load", fit);
  window.addEventListener("resize", fit);

  // A warning five minutes before the session ends. Requests of other tabs prolong it too.
  const warning = document.getElementById("session-warning");
  if (warning) {
    const length = Number(warning.dataset.minutes) * 60_000;
    const margin = Math.min(5 * 60_000, length / 2);
    const [text, button] = warning.children;
    let used = Date.now();
    const lastUse = () => {
      try {
        return Math.max(used, Number(localStorage.getItem("activity")));
      } catch {
        return used;
      }
    };
    const record = () => {
      used = Date.now();
      store("activity", used);
    };
    const show = () => {
      const end = lastUse() + length;
      const isOver = Date.now() >= end;
      const at = new Date(end).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      text.textContent = isOver
        ? "Your session has ended. What you enter is kept: submit it, and sign in again."
        : `Your session ends at ${at}. Stay signed in to keep working.`;
      button.hidden = isOver;
      warning.hidden = Date.now() < end - margin;
    };
    button.addEventListener("click", async () => {
      const response = await fetch(warning.dataset.url).catch(() => null);
      if (response?.ok && !response.redirected) record();
      show();
    });
    record();
    show();
    setInterval(show, 10_000);
  }

  // Open panels close on a click or focus outside.
  const panels = document.querySelectorAll("details.account, details.filters");
  const close = (target, keepMenuSelector) => {
    for (const panel of panels) {
      if (!panel.contains(target)) panel.open = false;
    }
    if (root.classList.contains("menu-open") && !target.closest(keepMenuSelector)) {
      root.classList.remove("menu-open");
      updateMenuButton();
    }
  };
  document.addEventListener("click", (event) => close(event.target, "#sidebar, #menu-button"));
  // Focus passes the bar on its way from the button to the menu.
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
        updateMenuButton();
        menu.focus();
      }
    }
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const search = document.getElementById("searchbar") ?? document.getElementById("site-search");
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    }
  });
}
