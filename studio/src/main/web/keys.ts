// Keys that work wherever nobody types.

import { useEffect, useRef } from "preact/hooks";

function types(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** `g c` is "g" and then "c" within a second. The last one bound wins. */
const bound: Record<string, () => void>[] = [];
let prefix = "";
let timer = 0;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || types(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && event.target instanceof HTMLElement && /^(A|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
  const name = prefix + event.key;
  window.clearTimeout(timer);
  for (let i = bound.length - 1; i >= 0; i--) {
    const act = bound[i]![name];
    if (act) {
      prefix = "";
      event.preventDefault();
      act();
      return;
    }
  }
  prefix = event.key === "g" ? "g " : "";
  timer = window.setTimeout(() => (prefix = ""), 1000);
});

export function useKeys(keys: Record<string, () => void>) {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const calls: Record<string, () => void> = {};
    for (const name of Object.keys(now.current)) calls[name] = () => now.current[name]?.();
    bound.push(calls);
    return () => void bound.splice(bound.indexOf(calls), 1);
  }, []);
}
