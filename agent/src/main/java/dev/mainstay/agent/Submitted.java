package dev.mainstay.agent;

import java.util.List;

/** What became of a run that was to be started. */
public sealed interface Submitted {
  /**
   * It was accepted, and this is on disk.
   *
   * @param fresh false where the same request under the same key had started it before
   */
  record Accepted(String run, boolean fresh) implements Submitted {}

  /** The key was used for another request. */
  record OtherRequest() implements Submitted {}

  /** No agent has that name. */
  record NoAgent(List<String> agents) implements Submitted {}

  /**
   * The plan cannot be carried out.
   *
   * @param mistake with its path
   */
  record NoPlan(String mistake) implements Submitted {}

  /** Too many runs wait. */
  record Full(long queued) implements Submitted {}
}
