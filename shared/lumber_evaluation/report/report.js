"use strict";
// Without this script every panel stands in the page, folded; with it, two menus choose one.
(() => {
  const panels = [...document.querySelectorAll(".panel")];
  const menus = ["document", "splitter"].map((name) => document.getElementById(`choose-${name}`));
  const show = () => {
    const [text, splitter] = menus.map((menu) => menu.value);
    for (const panel of panels) {
      const chosen = panel.dataset.document === text && panel.dataset.splitter === splitter;
      panel.hidden = !chosen;
      panel.open = chosen;
    }
    const known = panels.filter((panel) => panel.dataset.document === text);
    for (const option of menus[1].options) {
      option.disabled = !known.some((panel) => panel.dataset.splitter === option.value);
    }
    if (menus[1].selectedOptions[0].disabled) {
      menus[1].value = known[0].dataset.splitter;
      show();
    }
  };
  document.body.classList.add("scripted");
  document.querySelector(".chooser").hidden = false;
  for (const menu of menus) menu.addEventListener("change", show);
  show();
})();
