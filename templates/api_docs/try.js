{% include "drf_spectacular/swagger_ui.js" %}

const darkness = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => {
  document.documentElement.classList.toggle("dark", darkness.matches);
  document.documentElement.classList.toggle("dark-mode", darkness.matches);
};
darkness.addEventListener("change", followTheme);
followTheme();
