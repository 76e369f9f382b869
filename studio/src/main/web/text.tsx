// Text of providers, tools and users. It is shown as text: nothing in it becomes markup, changes
// the direction of what stands beside it, or makes the page slow.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { bytes } from "./format";
import { go } from "./hooks";

/** How much of one text is drawn until somebody asks for more. */
const FIRST = 6_000;
const MORE = 60_000;
const LONGEST_LINE = 2_000;

// Escape sequences of terminals (ECMA-48): colours, cursor, titles.
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
// Controls that draw nothing, marks that turn the direction of text, and tag characters.
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** `text` with what cannot be seen made visible, and terminals' colours left out. */
export function harmless(text: string): string {
  return text
    .replace(ANSI, "")
    .replace(UNSEEN, (c) => `⟨U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** One line of it, at most `most` characters. */
export function line(text: string, most = 200): string {
  const cut = harmless(text.slice(0, most * 2)).replace(/\s+/g, " ").trim();
  return cut.length > most ? `${cut.slice(0, most)}…` : cut;
}

function wrapped(text: string): string {
  if (text.length <= LONGEST_LINE) return text;
  return text
    .split("\n")
    .map((each) => (each.length <= LONGEST_LINE ? each : each.match(/[\s\S]{1,2000}/g)!.join("\n")))
    .join("\n");
}

/** Text of any length; what is beyond the first screens is drawn when it is asked for. */
export function Text({ text, code = false }: { text: string; code?: boolean }) {
  const [shown, setShown] = useState(FIRST);
  const rest = text.length - shown;
  return (
    <>
      <pre class={code ? "text code" : "text"} dir="auto" tabIndex={code ? 0 : undefined}>
        {wrapped(harmless(text.slice(0, shown)))}
      </pre>
      {rest > 0 && (
        <button class="link more" onClick={() => setShown(shown + MORE)}>
          Show more · {bytes(rest)} left
        </button>
      )}
    </>
  );
}

const IDS = /\b(call|run)_[0-9a-z]{26}\b/g;

/** One line of words, in which the ids of calls and runs lead to them. */
export function Linked({ text, most = 1200 }: { text: string; most?: number }) {
  const words = line(text, most);
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of words.matchAll(IDS)) {
    const to = `/${found[1]}s/${found[0]}`;
    parts.push(words.slice(from, found.index), <a class="link" href={to} onClick={(event) => { if (!event.metaKey && !event.ctrlKey) { event.preventDefault(); go(to); } }}>{found[0].slice(0, 12)}…</a>);
    from = found.index + found[0].length;
  }
  return <span>{parts}{words.slice(from)}</span>;
}
