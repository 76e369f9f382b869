// Focus is never lost: when what has it goes away, what stood around it takes it.

const FOCUSABLE = "a[href], button:not(:disabled), input, select, textarea, [tabindex='0']";

let path: Element[] = [];

/** Where focus goes on from an element that is gone: to the first stop beside it, at last to the page. */
function goOn() {
  if (document.activeElement !== document.body || path.length === 0 || path[0]!.isConnected) return;
  const around = path.find((each) => each.isConnected);
  path = [];
  if (!(around instanceof HTMLElement)) return;
  const stop = around.id === "main" || around === document.body ? null : around.querySelector<HTMLElement>(FOCUSABLE);
  (stop ?? document.getElementById("main"))?.focus({ preventScroll: true });
}

export function keepFocus() {
  document.addEventListener("focusin", (event) => {
    path = [];
    for (let each = event.target as Element | null; each; each = each.parentElement) path.push(each);
  });
  // A page that is left to the browser on purpose: a click beside everything takes focus away.
  document.addEventListener("focusout", (event) => {
    if ((event.target as Element).isConnected && !event.relatedTarget) window.setTimeout(() => { if (path[0]?.isConnected) path = []; });
  });
  new MutationObserver(goOn).observe(document.body, { childList: true, subtree: true });
}
