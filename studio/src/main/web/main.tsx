import { render } from "preact";
import { App, applyTheme } from "./app";
import { kept } from "./hooks";

applyTheme(kept("theme", "system"));
render(<App />, document.getElementById("app")!);
