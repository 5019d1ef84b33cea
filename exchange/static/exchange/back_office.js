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
  // Groups of the menu stay as they were left, except that of the page.
  for (const group of document.querySelectorAll("#sidebar details")) {
    const name = `menu-${group.dataset.group}`;
    let kept = null;
    try {
      kept = localStorage.getItem(name);
    } catch {
      // As the role has it.
    }
    if (kept) group.open = kept === "open" || group.querySelector("[aria-current]") !== null;
    group.addEventListener("toggle", () => store(name, group.open ? "open" : "closed"));
  }
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

  // What is often copied gets a button, where the browser lets a page write to the clipboard.
  for (const part of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
    const text = part.textContent.trim();
    if (!text || text === "-") continue;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "plain copy", textContent: "Copy", ariaLabel: `Copy ${text.slice(0, 60)}` });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    if (part.tagName === "DIV") part.append(button);
    else part.after(button);
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

  // Parts of a long page become tabs; without scripts they follow one another.
  const showTab = (page, chosen) => {
    for (const tab of page.querySelectorAll("[role=tablist] > [role=tab]")) {
      const shown = tab === chosen;
      tab.setAttribute("aria-selected", String(shown));
      tab.tabIndex = shown ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !shown;
    }
    fit();
  };
  for (const page of document.querySelectorAll("[data-tabs]")) {
    const parts = [...page.querySelectorAll("[data-tab]")].filter((part) => part.children.length);
    const list = document.createElement("div");
    list.className = "tabs";
    list.role = "tablist";
    list.ariaLabel = "Parts of this page";
    for (const part of parts) {
      const tab = document.createElement("button");
      const name = part.dataset.tab.toLowerCase();
      Object.assign(tab, { type: "button", className: "plain", id: `tab-${name}`, role: "tab", textContent: part.dataset.tab });
      Object.assign(part, { id: `part-${name}`, role: "tabpanel" });
      part.setAttribute("aria-labelledby", tab.id);
      tab.setAttribute("aria-controls", part.id);
      list.append(tab);
    }
    parts[0].before(list);
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (!tab) return;
      history.replaceState(history.state, "", `#${tab.id}`);
      showTab(page, tab);
    });
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const tabs = [...list.children];
      const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
    // The part that the address names, or has; else the first.
    const named = document.getElementById(location.hash.slice(1));
    const part = parts.find((each) => each.contains(named)) ?? parts[0];
    showTab(page, list.contains(named) ? named : document.getElementById(part.getAttribute("aria-labelledby")));
  }

  // Keys: a letter presses what the page marks with it; j and k go through the rows of a list.
  const rowLinks = () =>
    [...document.querySelectorAll(".results tbody tr, .items li, .inbox tbody tr")]
      .map((row) => row.querySelector("th a[href], a[href]"))
      .filter((link) => link?.checkVisibility());
  const step = (by) => {
    const links = rowLinks();
    const at = links.indexOf(document.activeElement);
    links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  const help = document.getElementById("keys");
  const pressKey = (key) => {
    const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (key === "?") help?.showModal();
    else if (target) target.click();
    else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
    else return false;
    return true;
  };
  // Control and Enter submit what is confirmed, and lead to the next record if there is one.
  const confirmForm = document.getElementById("confirm");
  const submitAndNext = () =>
    confirmForm?.requestSubmit(
      confirmForm.querySelector("button[name=then]") ?? confirmForm.querySelector("button[type=submit]"),
    );

  // The latest searches of this browser tab are offered again; they end with it.
  const recent = document.getElementById("recent-searches");
  if (recent) {
    const field = document.getElementById("site-search");
    let terms = [];
    try {
      terms = JSON.parse(sessionStorage.getItem("searches") ?? "[]");
    } catch {
      // Storage is unavailable: nothing is offered.
    }
    recent.replaceChildren(...terms.map((term) => new Option(term, term)));
    field.form.addEventListener("submit", () => {
      const term = field.value.trim();
      if (!term) return;
      try {
        sessionStorage.setItem("searches", JSON.stringify([term, ...terms.filter((each) => each !== term)].slice(0, 8)));
      } catch {
        // As above.
      }
    });
  }
  const focusSearch = (event, field) => {
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  };

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
    if (event.defaultPrevented || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === "Enter") submitAndNext();
      if (event.key === "k") focusSearch(event, document.getElementById("site-search"));
      return;
    }
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog")) return;
    if (event.key === "/") {
      focusSearch(event, document.getElementById("searchbar") ?? document.getElementById("site-search"));
    } else if (pressKey(event.key)) {
      event.preventDefault();
    }
  });

  // The sums of what is ticked, by currency.
  const bar = document.querySelector(".actions");
  if (bar) {
    const sums = document.createElement("output");
    bar.append(sums);
    const add = () => {
      const found = new Map();
      for (const row of document.querySelectorAll(".results tbody tr:has(input.action-select:checked)")) {
        const [, amount, unit] = /^([\d,.]+) (\w+)$/.exec(row.querySelector(".field-amount_display")?.textContent.trim() ?? "") ?? [];
        if (!unit) continue;
        const [whole, decimals = ""] = amount.replaceAll(",", "").split(".");
        const [sum, places] = found.get(unit) ?? [0n, 0];
        found.set(unit, [sum + BigInt(whole + decimals), decimals.length || places]);
      }
      sums.value = [...found]
        .map(([unit, [sum, places]]) => {
          const digits = String(sum).padStart(places + 1, "0");
          const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ",");
          return `${whole}${places ? `.${digits.slice(-places)}` : ""} ${unit}`;
        })
        .join(", ");
    };
    document.getElementById("changelist-form").addEventListener("change", add);
    add();
  }
}
