// What stands where a page could not be drawn: an answer of another shape than expected takes one page
// away, not the frame around it.

import { Component, type ComponentChildren } from "preact";
import { ApiError } from "./api";
import { backOff } from "./hooks";
import { Problem } from "./ui";

interface State { broken: ApiError | null }

/** Draws its children; when they fail, says so and tries again with growing waits. */
export class Boundary extends Component<{ children?: ComponentChildren }, State> {
  override state: State = { broken: null };
  private failures = 0;
  private timer = 0;

  override componentDidCatch(thrown: unknown) {
    console.warn(thrown);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(this.again, backOff(++this.failures));
    this.setState({ broken: new ApiError(500, "unreadable", "This page cannot show what the gateway answered: it may be of another version than the page.") });
  }

  override componentWillUnmount() {
    window.clearTimeout(this.timer);
  }

  private readonly again = () => {
    if (document.hidden) this.timer = window.setTimeout(this.again, backOff(++this.failures));
    else this.setState({ broken: null });
  };

  render() {
    return this.state.broken ? <Problem error={this.state.broken} retry={() => location.reload()} /> : this.props.children;
  }
}
