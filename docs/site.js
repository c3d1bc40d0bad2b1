// The keyboard must reach what scrolls, and the theme takes it away again. Landmarks need different names.
const reachable = () => {
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
    if (one.tabIndex !== 0) {
      one.tabIndex = 0;
    }
  }
  document.querySelectorAll(".md-code__nav").forEach((one, number) => {
    one.ariaLabel = `Code ${number + 1}`;
  });
};
new MutationObserver(reachable).observe(document.body, {
  attributeFilter: ["tabindex"],
  attributes: true,
  childList: true,
  subtree: true,
});
reachable();
