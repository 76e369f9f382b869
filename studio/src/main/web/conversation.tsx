import { answer, parse, request, type Part, type Turn } from "./dialects";
import { Text } from "./text";
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

export function ToolBox({ title, text, side }: { title: preact.ComponentChildren; text: string; side?: preact.ComponentChildren }) {
  return (
    <div class="tool">
      <header>{title}<span class="grow" />{side}</header>
      {text && <div class="in"><Text code text={pretty(text)} /></div>}
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

export function Conversation({ asked, answers }: { asked: string; answers: { title: string; text: string }[] }) {
  const turns = request(asked);
  return (
    <div>
      {turns.map((turn) => <TurnRow turn={turn} />)}
      {answers.map(({ title, text }, index) => {
        const { parts, ending } = answer(text);
        return (
          <>
            {index > 0 && <div class="seam">the stream broke here and goes on with {title}</div>}
            <div class="turn answer">
              <div class="who">{answers.length > 1 ? title : "answer"}</div>
              <div class="said">
                {parts.length > 0 ? <Parts parts={parts} /> : <span class="faint">No content in this answer.</span>}
                {ending && <span class="faint">ended: {ending}</span>}
              </div>
            </div>
          </>
        );
      })}
      {turns.length === 0 && answers.length === 0 && <p class="soft">No conversation is recorded. The raw tab has what is kept.</p>}
    </div>
  );
}

export function Raw({ text, whole }: { text: string; whole: boolean }) {
  return (
    <div class="col">
      <div class="row"><Copy text={text} />{!whole && <span class="faint">The first part; the rest is longer than a page shows.</span>}</div>
      <Text code text={pretty(text)} />
    </div>
  );
}
