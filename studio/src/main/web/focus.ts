// Focus is never lost: when what has it goes away, what stood around it takes it.

const STOPS = "a[href], button:not(:disabled), input, select, textarea, summary, [tabindex='0']";

/** What has the focus, with all that it stands in, and its place on the screen. */
let path: Element[] = [];
let place = new DOMRect();

/** The stop in `around` that is nearest to where the focus was; a form that has just opened names its own. */
function nearest(around: Element): HTMLElement | undefined {
  const own = around.querySelector<HTMLElement>("[autofocus]");
  if (own) return own;
  const far = (each: Element) => {
    const at = each.getBoundingClientRect();
    return Math.hypot(at.left - place.left, at.top - place.top);
  };
  return [...around.querySelectorAll<HTMLElement>(STOPS)].filter((each) => each.checkVisibility() && !each.classList.contains("danger")).sort((a, b) => far(a) - far(b))[0];
}

function goOn() {
  if (document.activeElement !== document.body || path.length === 0 || path[0]!.isConnected) return;
  const around = path.find((each) => each.isConnected);
  path = [];
  const main = document.getElementById("main");
  // Where a whole page or a dialog went, the page takes it: no box that would swallow the keys.
  const stop = around && main?.contains(around) && around !== main ? nearest(around) : undefined;
  (stop ?? main)?.focus({ preventScroll: true });
}

/** Follows the focus of the document from now on. */
export function keepFocus() {
  document.addEventListener("focusin", (event) => {
    path = [];
    for (let each = event.target as Element | null; each; each = each.parentElement) path.push(each);
    place = path[0]!.getBoundingClientRect();
  });
  // A click beside everything takes the focus away on purpose; one on a stop gives it there after this.
  document.addEventListener("pointerdown", () => (path = []), { capture: true });
  new MutationObserver(goOn).observe(document.body, { childList: true, subtree: true });
}
