"use strict";

// Redoc under our policy: no request to another host, light and dark, and the examples of the
// guide in tabs by language.
(() => {
  const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  const MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  const LANGUAGES = { bash: "curl", python: "Python", typescript: "TypeScript" };
  const COLOURS = {
    light: {
      ink: "#17211d", soft: "#4a5751", line: "#d9ddd6", accent: "#0f6147", side: "#f6f7f3",
      tint: "#f3f5f1", panel: "#1b2622", code: "#121a17", success: "#1d6b2a", error: "#b3261e", warning: "#8a5a00",
    },
    dark: {
      ink: "#eaf0ed", soft: "#aebab4", line: "#2e3a35", accent: "#7fd6b2", side: "#141c19",
      tint: "#1a2420", panel: "#0c1210", code: "#050807", success: "#7fd6b2", error: "#ff9c94", warning: "#f0c060",
    },
  };
  const element = document.getElementById("reference");
  const darkness = matchMedia("(prefers-color-scheme: dark)");

  // Redoc's attribution has a logo on its makers' host. Here it fails to load without a request,
  // and Redoc shows the link without it.
  const { prototype } = HTMLImageElement;
  const source = Object.getOwnPropertyDescriptor(prototype, "src");
  const isForeign = (url) => new URL(url, location.href).host !== location.host;
  const fail = (image) => queueMicrotask(() => image.dispatchEvent(new Event("error")));
  Object.defineProperty(prototype, "src", {
    ...source,
    set(url) {
      if (isForeign(url)) fail(this);
      else source.set.call(this, url);
    },
  });
  prototype.setAttribute = function (name, value) {
    if (name === "src" && isForeign(value)) return;
    Element.prototype.setAttribute.call(this, name, value);
  };

  Prism.languages.typescript ??= Prism.languages.javascript;

  function theme(colours) {
    const status = (color) => ({ color, tabTextColor: color === colours.error ? "#ff9c94" : "#7fd6b2" });
    return {
      spacing: { sectionVertical: 22 },
      colors: {
        primary: { main: colours.accent },
        success: { main: colours.success },
        error: { main: colours.error },
        warning: { main: colours.warning },
        text: { primary: colours.ink, secondary: colours.soft },
        border: { dark: colours.line, light: colours.line },
        responses: { success: status(colours.success), error: status(colours.error) },
      },
      schema: {
        nestedBackground: colours.tint,
        linesColor: colours.line,
        typeNameColor: colours.soft,
        typeTitleColor: colours.soft,
        requireLabelColor: colours.error,
      },
      typography: {
        fontSize: "15px",
        lineHeight: "1.6",
        fontFamily: SANS,
        headings: { fontFamily: SANS, fontWeight: "600", lineHeight: "1.3" },
        code: {
          fontSize: "13px", fontFamily: MONO, color: colours.ink, backgroundColor: colours.tint,
        },
        links: { color: colours.accent, visited: colours.accent, hover: colours.accent },
      },
      sidebar: {
        width: "280px",
        backgroundColor: colours.side,
        textColor: colours.ink,
        activeTextColor: colours.accent,
      },
      rightPanel: {
        backgroundColor: colours.panel,
        servers: {
          overlay: { backgroundColor: colours.side, textColor: colours.ink },
          url: { backgroundColor: colours.tint },
        },
      },
      codeBlock: { backgroundColor: colours.code },
      fab: { backgroundColor: colours.side, color: colours.accent },
    };
  }

  function show() {
    const dark = darkness.matches;
    const options = {
      theme: theme(dark ? COLOURS.dark : COLOURS.light),
      scrollYOffset: ".docs-bar",
      hideDownloadButtons: true,
      hideHostname: true,
      hideLoading: true,
      hideSchemaPattern: true,
      jsonSamplesExpandLevel: 4,
      nativeScrollbars: true,
      payloadSampleIdx: 3,
      sortRequiredPropsFirst: true,
    };
    Redoc.init("{{ schema_url|escapejs }}", options, element, () => {
      document.documentElement.classList.toggle("dark", dark);
    });
  }

  // --- The examples of the guide ---

  const languageOf = (pre) => /language-(\w+)/.exec(pre?.firstElementChild?.className ?? "")?.[1];
  const chosen = () => localStorage.getItem("docs-language") ?? "bash";

  function choose(language) {
    localStorage.setItem("docs-language", language);
    for (const group of element.querySelectorAll(".example")) select(group, language);
  }

  function select(group, language) {
    for (const tab of group.querySelectorAll("[role=tab]")) {
      const selected = tab.dataset.language === language;
      tab.setAttribute("aria-selected", selected);
      tab.tabIndex = selected ? 0 : -1;
    }
    for (const pre of group.querySelectorAll("pre")) pre.hidden = languageOf(pre) !== language;
  }

  function button(text, onClick) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", onClick);
    return made;
  }

  function makeTabs(first) {
    const blocks = [];
    for (let pre = first; languageOf(pre) in LANGUAGES; pre = pre.nextElementSibling) blocks.push(pre);
    const group = document.createElement("div");
    const bar = document.createElement("div");
    const tabs = document.createElement("div");
    group.className = "example";
    bar.className = "example-bar";
    tabs.setAttribute("role", "tablist");
    tabs.setAttribute("aria-label", "Language of the example");
    first.before(group);
    bar.append(tabs, copyButton(group));
    group.append(bar, ...blocks);
    for (const pre of blocks) {
      const language = languageOf(pre);
      const tab = button(LANGUAGES[language], () => keepInPlace(tab, () => choose(language)));
      tab.setAttribute("role", "tab");
      tab.dataset.language = language;
      tabs.append(tab);
      pre.setAttribute("role", "tabpanel");
      pre.setAttribute("aria-label", LANGUAGES[language]);
      pre.tabIndex = 0;
    }
    tabs.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const all = [...tabs.children];
      const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
      next.click();
      next.focus();
    });
    select(group, chosen());
  }

  // Other examples change their height as well: the one that was chosen stays where it is.
  function keepInPlace(tab, change) {
    const before = tab.getBoundingClientRect().top;
    change();
    scrollBy(0, tab.getBoundingClientRect().top - before);
  }

  function copyButton(group) {
    const copy = button("Copy", async () => {
      await navigator.clipboard.writeText(group.querySelector("pre:not([hidden])").textContent);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    copy.className = "example-copy";
    return copy;
  }

  function findExamples() {
    for (const code of element.querySelectorAll(".redoc-markdown > pre > .language-bash")) {
      makeTabs(code.parentElement);
    }
    // What scrolls is reached by keyboard.
    for (const pre of element.querySelectorAll("pre:not([tabindex])")) pre.tabIndex = 0;
  }

  new MutationObserver(findExamples).observe(element, { childList: true, subtree: true });
  darkness.addEventListener("change", () => {
    Redoc.destroy?.(element);
    element.replaceChildren();
    show();
  });
  show();
})();
