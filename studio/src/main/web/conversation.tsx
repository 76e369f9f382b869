import { answer, parse, request, type Part, type Turn } from "./dialects";
import { Text, line } from "./text";
import { Badge, Copy } from "./ui";

export function Parts({ parts }: { parts: Part[] }) {
  return (
    <>
      {parts.map((part) => {
        switch (part.kind) {
          case "text": return <Text text={part.text} />;
          case "thought": return <div class="thought"><Text text={part.text} /></div>;
          case "call": return <ToolBox title={<><Badge tone="accent">calls</Badge><code>{part.name}</code></>} text={part.text} />;
          case "result": return <ToolBox title={<><Badge>result</Badge><code>{part.name || part.id}</code></>} text={part.text} />;
          case "other": return <div class="row"><Badge tone={part.name === "error" ? "bad" : ""}>{part.name}</Badge>{part.text && <span>{part.text}</span>}</div>;
        }
      })}
    </>
  );
}

/** Arguments that fit a line stand in it. */
const BRIEF = 90;

/** A tool call: what it is given, and what came of it. */
export function ToolBox({ title, text, side, out, bad = false }: { title: preact.ComponentChildren; text: string; side?: preact.ComponentChildren; out?: string | null; bad?: boolean }) {
  const brief = text.length <= BRIEF && !text.includes("\n");
  return (
    <div class={bad ? "tool bad" : "tool"}>
      <header>{title}{brief && text && <code class="soft cut brief">{line(text, BRIEF)}</code>}<span class="grow" />{side}</header>
      {!brief && <div class="in"><Text code text={pretty(text)} /></div>}
      {out !== null && out !== undefined && <div class="out"><Text code text={pretty(out) || "(empty)"} /></div>}
    </div>
  );
}

/** JSON in lines of its own; anything else as it is. Long texts are left as they came. */
export function pretty(text: string): string {
  if (text.length > 500_000 || !/^\s*[[{]/.test(text)) return text;
  const value = parse(text);
  return value === null ? text : JSON.stringify(value, null, 2);
}

export function TurnRow({ turn, kind = "" }: { turn: Turn; kind?: string }) {
  return (
    <div class={`turn ${kind}`}>
      <div class="who">{turn.who}</div>
      <div class="said"><Parts parts={turn.parts} /></div>
    </div>
  );
}

/** A stream that broke: what had arrived by then, and the target that it went on with. */
export interface Break { arrived: string; next: string }

/** The parts with a seam where each broken stream was joined to the one that went on. */
function seams(parts: Part[], breaks: Break[]): (Part | { kind: "seam"; next: string })[] {
  const found: (Part | { kind: "seam"; next: string })[] = [...parts];
  for (const each of breaks) {
    const arrived = answer(each.arrived).parts.filter((part) => part.kind === "text").map((part) => part.text).join("");
    const index = found.findIndex((part) => part.kind === "text");
    const part = found[index];
    if (!part || part.kind !== "text" || arrived === "") continue;
    let same = 0;
    while (same < arrived.length && arrived[same] === part.text[same]) same++;
    if (same === 0 || same >= part.text.length) continue;
    found.splice(index, 1, { ...part, text: part.text.slice(0, same) }, { kind: "seam", next: each.next }, { ...part, text: part.text.slice(same) });
  }
  return found;
}

export function Conversation({ asked, answered, breaks = [] }: { asked: string; answered?: string; breaks?: Break[] }) {
  const turns = request(asked);
  const { parts, ending } = answer(answered ?? "");
  return (
    <div>
      {turns.map((turn) => <TurnRow turn={turn} />)}
      {answered !== undefined && (
        <div class="turn answer">
          <div class="who">answer</div>
          <div class="said">
            {parts.length > 0 ? seams(parts, breaks).map((part) => part.kind === "seam" ? <div class="seam">the stream broke here and goes on with {part.next}</div> : <Parts parts={[part]} />) : <span class="faint">No content in this answer.</span>}
            {ending && <span class="faint">ended: {ending}</span>}
          </div>
        </div>
      )}
      {turns.length === 0 && answered === undefined && <p class="soft">No conversation is recorded. The raw tab has what is kept.</p>}
    </div>
  );
}

export function Raw({ text, whole }: { text: string; whole: boolean }) {
  return (
    <div class="col">
      <div class="row"><Copy text={text} />{!whole && <span class="faint">This is the first part. The rest is longer than a page can show.</span>}</div>
      <Text code text={pretty(text)} />
    </div>
  );
}
