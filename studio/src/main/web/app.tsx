// The frame around every page: navigation, the palette, the state of the connection.

import { useEffect, useRef, useState } from "preact/hooks";
import { Boundary } from "./boundary";
import { clockAhead, now, onClock } from "./clock";
import { ago, ms } from "./format";
import { ApiError, signOut, whoAmI, type Who } from "./api";
import { go, keep, kept, useAddress, useApi, useNow } from "./hooks";
import { useKeys } from "./keys";
import { Palette } from "./palette";
import { PLACES } from "./routes";
import { line } from "./text";
import { Empty, Link, Notes } from "./ui";
import { AlertsPage } from "./pages/alerts";
import { CallPage } from "./pages/call";
import { CallsPage } from "./pages/calls";
import { ComparePage } from "./pages/compare";
import { CostsPage } from "./pages/costs";
import { DeadLettersPage } from "./pages/dead-letters";
import { EvaluationsPage } from "./pages/evaluations";
import { FailuresPage } from "./pages/failures";
import { GatewayPage } from "./pages/gateway";
import { LoginPage } from "./pages/login";
import { OverviewPage } from "./pages/overview";
import { RunPage } from "./pages/run";
import { RunsPage } from "./pages/runs";
import { SettingsPage } from "./pages/settings";
import { StartPage } from "./pages/start";

type Theme = "system" | "light" | "dark";

export function applyTheme(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

interface HealthJson {
  version?: string;
  level?: number | { level?: number; reason?: string };
  reason?: string;
  [other: string]: unknown;
}

export function App() {
  const { path } = useAddress();
  const [first = "", second] = path.slice(1).split("/").map(decoded);
  if (first === "login") return <><LoginPage /><Notes /></>;
  return <Frame path={`/${first}`}>{page(first, second)}</Frame>;
}

/** A part of a path as it was meant; one that is no encoding of anything stays as it was typed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function page(first: string, id: string | undefined) {
  switch (first) {
    case "": return <OverviewPage />;
    case "calls": return id ? <CallPage key={id} id={id} /> : <CallsPage />;
    case "runs": return id ? <RunPage key={id} id={id} /> : <RunsPage />;
    case "run": return <StartPage />;
    case "compare": return <ComparePage />;
    case "dead-letters": return <DeadLettersPage id={id} />;
    case "failures": return <FailuresPage id={id} />;
    case "gateway": return <GatewayPage />;
    case "costs": return <CostsPage />;
    case "alerts": return <AlertsPage />;
    case "evaluations": return <EvaluationsPage />;
    case "settings": return <SettingsPage />;
    default: return <Empty title="There is no such page">Press ⌘K to find one.</Empty>;
  }
}

function Frame({ path, children }: { path: string; children: preact.ComponentChildren }) {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [theme, setTheme] = useState<Theme>(() => kept<Theme>("theme", "system"));
  const health = useApi<HealthJson>("/health", 10_000);
  const main = useRef<HTMLElement>(null);
  const who = useWho();
  const ahead = useClock();
  const title = PLACES.find((place) => place.path === path)?.title ?? "Studio";
  useEffect(() => {
    setMenu(false);
    window.scrollTo(0, 0);
    document.title = `${title} · Mainstay`;
  }, [path, title]);
  const keys: Record<string, () => void> = { "?": () => setHelp(true), "/": () => setPalette(true) };
  PLACES.forEach((place) => (keys[`g ${place.key}`] = () => go(place.path)));
  useKeys(keys);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPalette((on) => !on);
      }
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  const groups = [...new Set(PLACES.map((place) => place.group))];
  const away = health.error?.status === 0;
  return (
    <div class="frame">
      <a class="sr" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to the page</a>
      <div class="top">
        <button class="btn small" aria-expanded={menu} onClick={() => setMenu(!menu)}>Menu</button>
        <strong class="grow">{title}</strong>
        <button class="btn small" onClick={() => setPalette(true)}>Search</button>
      </div>
      <aside class={menu ? "side open" : "side"}>
        <Link href="/" class="brand"><Mast />Mainstay</Link>
        <button class="seek" onClick={() => setPalette(true)}>Search<kbd>⌘K</kbd></button>
        <nav aria-label="Pages">
          {groups.map((group) => (
            <div>
              {group && <h2>{group}</h2>}
              {PLACES.filter((place) => place.group === group).map((place) => (
                <Link href={place.path} aria-current={place.path === path ? "page" : undefined} onClickCapture={() => setMenu(false)}>{place.title}</Link>
              ))}
            </div>
          ))}
        </nav>
        <div class="foot">
          <Level health={health.data} away={away} />
          {who && who.by !== "loopback" && (
            <div class="row ends"><span class="cut" title={who.role}>{who.name}, {who.role}</span>{who.by === "session" && <button class="link" onClick={() => void signOut().then(() => go("/login"))}>Sign out</button>}</div>
          )}
          <div class="row ends">
            <label class="row" title="Theme">
              <span class="sr">Theme</span>
              <select value={theme} onChange={(event) => {
                const next = event.currentTarget.value as Theme;
                setTheme(next);
                keep("theme", next);
                applyTheme(next);
              }}>
                <option value="system">System</option>
                <option value="light">Light</option>
                <option value="dark">Dark</option>
              </select>
            </label>
            <button class="btn small" onClick={() => setHelp(true)} aria-label="Keyboard shortcuts">?</button>
          </div>
        </div>
      </aside>
      <main class="main" id="main" ref={main} tabIndex={-1}>
        {away && <Away />}
        <WrongClock />
        <Boundary key={`${path} ${ahead}`}>{children}</Boundary>
      </main>
      {palette && <Palette close={() => setPalette(false)} />}
      {help && <Help close={() => setHelp(false)} />}
      <Notes />
    </div>
  );
}

/** Who looks; somebody who has to sign in first is led to it. */
function useWho(): Who | null {
  const [who, setWho] = useState<Who | null>(null);
  useEffect(() => {
    whoAmI().then(setWho, (thrown: unknown) => {
      if (thrown instanceof ApiError && thrown.status === 401) go(`/login?back=${encodeURIComponent(location.pathname + location.search)}`, true);
    });
  }, []);
  return who;
}

/** Redraws when this computer's clock turns out to be another than the gateway's. */
function useClock(): number {
  const [ahead, setAhead] = useState(clockAhead());
  useEffect(() => onClock(() => setAhead(clockAhead())), []);
  return ahead;
}

function WrongClock() {
  const ahead = useClock();
  if (ahead === 0) return null;
  return <div class="away" role="status">This computer's clock is {ms(Math.abs(ahead))} {ahead > 0 ? "ahead of" : "behind"} the gateway's. Ages and ranges on these pages go by the gateway's; set this clock right.</div>;
}

function Away() {
  const [since] = useState(now());
  const time = useNow(1000);
  return (
    <div class="away" role="status">
      The gateway has not answered since {ago(since, time)}. What you see is from before; this page goes on by itself when it is back.
    </div>
  );
}

const LEVELS: [string, string][] = [
  ["good", "All well"],
  ["info", "Retrying more than usual"],
  ["warn", "A target is out"],
  ["bad", "One target left"],
  ["bad", "A model has no target"],
];

function Level({ health, away }: { health: HealthJson | null; away: boolean }) {
  if (away) return <span class="row"><span class="dot bad" />Gateway unreachable</span>;
  if (!health) return null;
  const raw = health.level;
  const level = typeof raw === "object" ? (raw.level ?? 0) : (raw ?? 0);
  const [tone, words] = LEVELS[level] ?? LEVELS[0]!;
  const reason = (typeof raw === "object" ? raw.reason : health.reason) ?? "";
  return (
    <>
      <Link href="/gateway" class="row level" title={reason || words}>
        <span class={`dot ${tone}`} /><span>{level > 0 && reason ? line(reason[0]!.toUpperCase() + reason.slice(1), 90) : words}</span>
      </Link>
      {health.version && <span class="faint">{health.version}</span>}
    </>
  );
}

function Mast() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d="M12 3v18M12 4 4 19M12 4l8 15M7 20h10" />
    </svg>
  );
}

function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const rows: [string, string][] = [
    ["⌘K or /", "Find a page, a call, a run, a model"],
    ["j k", "Next and previous row"],
    ["Enter", "Open the row"],
    ["← →", "Choose a value of the row; Enter filters by it"],
    ["f", "Filter the list"],
    ["l", "Live tail on and off"],
    ...PLACES.map((place): [string, string] => [`g ${place.key}`, place.title]),
    ["?", "These keys"],
  ];
  return (
    <dialog ref={dialog} onClose={close} aria-label="Keyboard shortcuts" onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <div class="sheet">
        <h2>Keys</h2>
        <div class="keys">{rows.map(([key, words]) => <><kbd>{key}</kbd><span>{words}</span></>)}</div>
        <form method="dialog"><button class="btn">Close</button></form>
      </div>
    </dialog>
  );
}
