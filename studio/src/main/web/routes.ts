// The pages' paths: their first segments are `Studio.PAGES` in Java.

export interface Place {
  path: string;
  title: string;
  group: string;
  key: string;
}

export const PLACES: Place[] = [
  { path: "/", title: "Overview", group: "", key: "o" },
  { path: "/calls", title: "Calls", group: "Observe", key: "c" },
  { path: "/runs", title: "Runs", group: "Observe", key: "r" },
  { path: "/failures", title: "Failures", group: "Observe", key: "f" },
  { path: "/costs", title: "Costs", group: "Observe", key: "m" },
  { path: "/evaluations", title: "Evaluations", group: "Observe", key: "e" },
  { path: "/run", title: "Run an agent", group: "Act", key: "n" },
  { path: "/compare", title: "Compare", group: "Act", key: "d" },
  { path: "/dead-letters", title: "Dead letters", group: "Act", key: "l" },
  { path: "/alerts", title: "Alerts", group: "Act", key: "a" },
  { path: "/gateway", title: "Gateway", group: "Operate", key: "g" },
  { path: "/settings", title: "Settings", group: "Operate", key: "s" },
];
