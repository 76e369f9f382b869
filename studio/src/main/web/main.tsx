import { render } from "preact";
import { App, applyTheme } from "./app";
import { keepFocus } from "./focus";
import { kept } from "./hooks";

applyTheme(kept("theme", "system"));
keepFocus();
render(<App />, document.getElementById("app")!);
