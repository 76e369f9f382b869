// What a person does with a run: the questions that it waits with, and its buttons.

import { useState } from "preact/hooks";
import { post } from "../api";
import { exportRun } from "../export";
import { go } from "../hooks";
import type { Journal, StepItem } from "../journal";
import { Text, line } from "../text";
import { Act, Link } from "../ui";
import type { WholeRun } from "../types";
import { Unified } from "./compare";
import { ENDED, figure } from "./shared";

/** What a person is waited for. */
export function Ask({ run, wait, step, reload }: { run: string; wait: WholeRun["waits_for"][number]; step: StepItem | undefined; reload: () => void }) {
  const [result, setResult] = useState("");
  const to = (action: string, body: unknown) => async () => {
    await post(`/api/runs/${encodeURIComponent(run)}/${action}`, body);
    reload();
  };
  return (
    <div class="ask">
      {wait.resolve !== undefined ? (
        <>
          <strong>Did step {wait.step}, {wait.tool}, happen?</strong>
          <span>{line(String(wait.resolve), 600)} The run goes on as soon as a person says.</span>
          {step && <Text code text={step.arguments} />}
          <input aria-label="Result, if it happened" placeholder="Its result, if it happened (optional)" value={result} onInput={(event) => setResult(event.currentTarget.value)} />
          <div class="row wrap">
            <Act act={to("resolve", { step: wait.step, happened: true, ...(result ? { result } : {}) })} done="Recorded: it happened.">It happened</Act>
            <Act act={to("resolve", { step: wait.step, happened: false })} done="Recorded: it did not happen.">It did not happen</Act>
          </div>
        </>
      ) : (
        <>
          <strong>Step {wait.step} waits for approval: {wait.tool}</strong>
          <Text code text={typeof wait.approve === "string" ? wait.approve : JSON.stringify(wait.approve, null, 2)} />
          <div class="row">
            <Act tone="first" act={to("approve", { step: wait.step, approved: true })} done="Approved.">Approve</Act>
            <Act act={to("approve", { step: wait.step, approved: false })} done="Refused. Mainstay tells the model.">Refuse</Act>
          </div>
        </>
      )}
    </div>
  );
}

export function Buttons({ run, journal, reload }: { run: WholeRun; journal: Journal; reload: () => void }) {
  const [form, setForm] = useState<"" | "message" | "extend" | "fork">("");
  const [text, setText] = useState("");
  const [step, setStep] = useState("");
  const [verified, setVerified] = useState<{ words: string; diff: string } | null>(null);
  const api = `/api/runs/${encodeURIComponent(run.run)}`;
  const over = ENDED.test(run.status);
  // The agent of a client's run is elsewhere: it alone can pause, be told something, or be asked anew.
  const own = run.kind !== "client";
  const send = (action: string, body: unknown = {}) => async () => {
    await post(`${api}/${action}`, body);
    setForm("");
    setText("");
    reload();
  };
  const replay = (mode: string) => async () => {
    const made = await post<{ run?: string; runs?: string[]; equal?: boolean; requests?: number; divergence?: { step: number; diff: string } | null }>(`${api}/replay`, { mode, ...(step ? { from_step: Number(step) } : {}), set: text ? { model: text } : {} });
    if (mode === "verify") {
      setVerified(made.equal ? { words: `Equal: all ${made.requests ?? 0} requests match the record.`, diff: "" } : { words: `Step ${made.divergence?.step} differs.`, diff: made.divergence?.diff ?? "" });
      return;
    }
    const other = made.run ?? made.runs?.[0];
    if (other) go(`/runs/${encodeURIComponent(other)}`);
  };
  if (form === "message" || form === "extend") {
    return (
      <form class="row wrap" onSubmit={(event) => event.preventDefault()}>
        <input autoFocus aria-label={form === "message" ? "Message" : "More budget in USD"} placeholder={form === "message" ? "A message to the agent" : "More budget in USD, such as 0.50"} size={30} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Act tone="first" done={form === "message" ? "Sent." : "Extended."} act={form === "message" ? send("message", { text }) : async () => send("extend", { budget: { usd: figure("The budget", text) } })()}>Send</Act>
        <button class="btn" onClick={() => setForm("")}>Not now</button>
      </form>
    );
  }
  if (form === "fork") {
    return (
      <form class="row wrap" onSubmit={(event) => event.preventDefault()}>
        <input aria-label="From step" placeholder="from step: 1" size={10} inputMode="numeric" value={step} onInput={(event) => setStep(event.currentTarget.value)} />
        <input aria-label="Model" placeholder="model: as before" size={16} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Act tone="first" done="Forked." act={replay("fork")}>Fork</Act>
        <Act done="Verified." act={replay("verify")}>Verify</Act>
        <button class="btn" onClick={() => setForm("")}>Not now</button>
        {verified && <div class="col"><p class={verified.diff ? "warn" : "good"}>{verified.words}</p>{verified.diff && <Unified text={verified.diff} />}</div>}
      </form>
    );
  }
  return (
    <div class="row wrap">
      {own && !over && (
        <>
          <button class="btn" onClick={() => setForm("message")}>Message</button>
          <Act act={send("pause")} done="Pauses after this step.">Pause</Act>
          {run.status === "waiting" && <Act act={send("resume")} done="Goes on.">Resume</Act>}
          <button class="btn" onClick={() => setForm("extend")}>Extend</button>
        </>
      )}
      {own && <button class="btn" onClick={() => setForm("fork")}>Replay…</button>}
      <Link class="btn" href={`/compare?a=${encodeURIComponent(run.run)}`}>Compare</Link>
      <button class="btn" onClick={() => exportRun(run, journal)}>Export</button>
      {own && !over && <Act tone="danger" act={send("cancel")} done="Cancelled." ask="Cancel this run?">Cancel</Act>}
      {!own && !over && <Act act={send("events", { type: "end", id: "studio-end" })} done="Ended.">It has ended</Act>}
    </div>
  );
}
