package dev.mainstay.wire.continuation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Joins a new attempt's text to what was delivered: takes it in pieces and gives out what is new.
 *
 * <p>What comes back is one of these, and the first characters tell which:
 *
 * <ol>
 *   <li>the rest, as asked for;
 *   <li>a repetition of the last words, then the rest. An instruction even asks for that, since it
 *       shows where the target goes on and whether a space belongs there. It is the longest end of
 *       the delivered text that the new one begins with, and is left out where it is certain:
 *       sixteen characters, or two words, said nowhere else in the delivered text and no repetition
 *       in themselves. Shorter ones could as well be the text ("that that", a row of zeros):
 *       nothing is left out and the seam is uncertain;
 *   <li>the whole answer again: the longest repetition there can be, treated the same. Where the
 *       delivered text is too short to be certain of it, the attempt is refused as {@link
 *       Refusal#AMBIGUOUS}; asking with {@link Mode#RESTART} then leaves no doubt;
 *   <li>another answer, which begins as the delivered one did and then differs: refused as {@link
 *       Refusal#DIVERGED}, for two answers must not be mixed. Phrases that the delivered text says
 *       more than once do not count as its beginning;
 *   <li>any of these after a quotation mark, dots or a code fence opened again.
 * </ol>
 *
 * <p>Where a prefill could not end in white space, the new text may begin with the white space that
 * was cut off, or without: what agrees is left out. With {@link Mode#RESTART} the new text must
 * begin with the delivered text, whatever that is.
 *
 * <p>Where the answer must be JSON, the delivered and the new text are followed as one value: the
 * answer is over where it closes, and a text that cannot belong to it is refused as {@link
 * Refusal#BROKEN_JSON}. A stop sequence across the seam ends the answer too.
 *
 * <p>Held back before it is decided: 24 characters; more only while the new text repeats what was
 * delivered, and then at most {@link Overlap#WINDOW} characters that may have to be given out.
 * Pieces are never cut inside a code point. One per attempt; not thread-safe.
 */
public final class Aligner {
  /** Held back at least, so that a lead-in is seen whole. */
  private static final int HOLD = 24;

  /** Up to so many quotation marks, dots and spaces before a repetition are no part of it. */
  private static final int LEAD_IN = 8;

  /** An answer by instruction that begins so far as the delivered one did is another answer. */
  private static final int SAME_BEGINNING = 24;

  /** After a prefill that would be strange, and a row like the first one is likelier. */
  private static final int SAME_BEGINNING_PREFILLED = 64;

  /** A repetition up to this long means nothing after a prefill: one letter in ten is doubled. */
  private static final int CHANCE = 3;

  /** Why an attempt's text was refused. Nothing of it is to be delivered; another may do better. */
  public enum Refusal {
    /** It is another answer than the one delivered in part. */
    DIVERGED,
    /** It begins with all that was delivered, which is too short to tell repetition from text. */
    AMBIGUOUS,
    /** Together with what was delivered it can be no JSON. What was given out before stands. */
    BROKEN_JSON
  }

  /**
   * What a piece of new text comes to.
   *
   * @param text what is to be delivered now, possibly empty
   * @param refused why the attempt is to be given up, or null
   * @param over whether the answer is whole, so that further text of this attempt means nothing
   */
  public record Piece(String text, @Nullable Refusal refused, boolean over) {}

  private static final Piece NOTHING = new Piece("", null, false);

  private final String delivered;
  private final String body;
  private final Mode mode;
  private final boolean trimmed;
  private final boolean echoed;
  private final boolean insideFence;
  private final @Nullable JsonSeam json;
  private final StopSeam stops;
  private final Overlap plain;
  private @Nullable Overlap afterLeadIn;
  private int leadIn;
  private final StringBuilder held = new StringBuilder();
  private String carried = "";
  private boolean decided;
  private int white;
  private int whiteEnd;
  private int swallowed;
  private Seam.Certainty certainty = Seam.Certainty.EXACT;
  private @Nullable Refusal refused;
  private boolean over;

  /**
   * @param delivered the text that the client has
   * @param trimmed whether the white space at its end was left out of the request
   * @param echoed whether the target says a prefill again
   * @param json whether the answer must be one JSON value; only where {@code delivered} begins one
   * @param stopSequences as the request has them
   */
  Aligner(
      String delivered,
      Mode mode,
      boolean trimmed,
      boolean echoed,
      boolean json,
      List<String> stopSequences) {
    this.delivered = delivered;
    this.body = mode == Mode.RESTART ? delivered : delivered.stripTrailing();
    this.mode = mode;
    this.trimmed = trimmed;
    this.echoed = echoed;
    this.white = body.length();
    this.whiteEnd = delivered.length();
    this.insideFence = insideFence(delivered);
    this.stops = new StopSeam(delivered, stopSequences);
    this.plain = new Overlap(body);
    this.decided = body.isEmpty();
    if (decided) {
      white = whiteEnd;
    }
    JsonSeam value = null;
    if (json) {
      value = new JsonSeam();
      if (!delivered.substring(value.take(delivered)).isBlank()) {
        value = null;
      }
    }
    this.json = value;
    this.over = value != null && value.complete();
  }

  /**
   * For the answer to {@code request}. Where the client was told already why the answer ended, or
   * has the whole JSON, nothing is new.
   */
  public static Aligner of(Delivered delivered, ContinuationRequest request) {
    var aligner =
        new Aligner(
            delivered.text(),
            request.mode(),
            request.trimmed(),
            request.echoed(),
            request.json(),
            request.stopSequences());
    aligner.over |= !delivered.finishes().isEmpty();
    return aligner;
  }

  /** Takes more of the new text. */
  public Piece feed(String text) {
    if (refused != null || over) {
      return new Piece("", refused, over);
    }
    String all = carried.isEmpty() ? text : carried + text;
    boolean half = !all.isEmpty() && Character.isHighSurrogate(all.charAt(all.length() - 1));
    carried = half ? all.substring(all.length() - 1) : "";
    return go(half ? all.substring(0, all.length() - 1) : all, false);
  }

  /**
   * The new text has ended.
   *
   * @param cutOff whether the model was stopped by a limit, so that JSON need not be complete
   */
  public Piece finish(boolean cutOff) {
    if (refused != null || over) {
      return new Piece("", refused, over);
    }
    var piece = go(carried, true);
    if (piece.refused() != null || over) {
      return piece;
    }
    String last = piece.text() + checked(stops.rest());
    over = true;
    if (json != null && !cutOff && !json.mayEnd()) {
      refused = Refusal.BROKEN_JSON;
    }
    return new Piece(last, refused, refused == null);
  }

  /** The seam as it is known; final once text was given out or the text has ended. */
  public Seam seam() {
    return new Seam(certainty, swallowed);
  }

  /** The stop sequence that was met across the seam, or null. */
  public @Nullable String stopSequence() {
    return stops.met();
  }

  private Piece go(String text, boolean end) {
    String out = text;
    if (!decided) {
      hold(text);
      if (!decide(end)) {
        return refused == null ? NOTHING : new Piece("", refused, false);
      }
      out = held.toString();
      held.setLength(0);
    }
    out = checked(stops.pass(afterWhite(out)));
    over |= stops.met() != null || (json != null && json.complete());
    return new Piece(out, refused, over && refused == null);
  }

  /** Leaves out what the new text has in common with the white space the client has already. */
  private String afterWhite(String text) {
    int from = 0;
    while (white < whiteEnd && from < text.length()) {
      if (text.charAt(from) != delivered.charAt(white)) {
        white = whiteEnd;
        break;
      }
      from++;
      white++;
    }
    swallowed += from;
    return text.substring(from);
  }

  private String checked(String text) {
    if (json == null || text.isEmpty()) {
      return text;
    }
    int taken = json.take(text);
    if (json.broken()) {
      refused = Refusal.BROKEN_JSON;
      return "";
    }
    return text.substring(0, taken);
  }

  private void hold(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      plain.next(c);
      if (afterLeadIn != null) {
        afterLeadIn.next(c);
      }
      held.append(c);
      if (held.length() == HOLD) {
        lookForLeadIn();
      }
    }
  }

  private void lookForLeadIn() {
    leadIn = mode == Mode.RESTART ? 0 : leadIn(held);
    if (leadIn > 0) {
      var overlap = new Overlap(body);
      for (int i = leadIn; i < held.length(); i++) {
        overlap.next(held.charAt(i));
      }
      afterLeadIn = overlap;
    }
  }

  /** Whether it is decided; sets {@link #refused} where the attempt cannot stand. */
  private boolean decide(boolean end) {
    if (mode == Mode.RESTART) {
      return decideRestart(end);
    }
    boolean open = plain.open() || (afterLeadIn != null && afterLeadIn.open());
    if (!end && (open || held.length() < HOLD)) {
      return false;
    }
    if (end && held.length() < HOLD) {
      lookForLeadIn();
    }
    decided = true;
    if (plain.certain() || (echoed && plain.whole())) {
      swallow(plain.longest());
    } else if (plain.whole()) {
      refused = Refusal.AMBIGUOUS;
    } else if (anotherAnswer(plain)) {
      refused = Refusal.DIVERGED;
    } else {
      afterLeadIn();
    }
    return refused == null;
  }

  private void afterLeadIn() {
    var overlap = afterLeadIn;
    boolean fence = leadIn > 0 && opensFence(held);
    if (overlap != null && overlap.certain()) {
      swallow(leadIn + overlap.longest());
    } else if (overlap != null && (overlap.whole() || anotherAnswer(overlap))) {
      refused = overlap.whole() ? Refusal.AMBIGUOUS : Refusal.DIVERGED;
    } else if (fence && (json != null || (insideFence && namesLanguage(held)))) {
      swallow(leadIn);
      certainty = Seam.Certainty.UNCERTAIN;
    } else {
      boolean exact = mode == Mode.PREFILL && plain.longest() <= CHANCE;
      certainty = exact ? Seam.Certainty.EXACT : Seam.Certainty.UNCERTAIN;
      if (!trimmed) {
        white = whiteEnd;
      }
    }
  }

  private boolean decideRestart(boolean end) {
    if (plain.whole() || plain.fromStart() == body.length()) {
      decided = true;
      swallow(body.length());
      return true;
    }
    if (end || plain.fromStart() < held.length()) {
      refused = Refusal.DIVERGED;
    }
    return false;
  }

  private void swallow(int characters) {
    held.delete(0, characters);
    swallowed = characters;
    certainty = Seam.Certainty.ALIGNED;
  }

  private boolean anotherAnswer(Overlap overlap) {
    int enough = mode == Mode.PREFILL ? SAME_BEGINNING_PREFILLED : SAME_BEGINNING;
    int same = overlap.fromStart();
    return same >= enough && same < body.length() && overlap.beginsLikeNothingElse(same);
  }

  /** How many characters before the text proper are no part of it, 0 where there are none. */
  private static int leadIn(CharSequence text) {
    int at = 0;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    if (opensFence(text)) {
      while (at < text.length() && text.charAt(at) != '\n') {
        at++;
      }
      return at < text.length() ? at + 1 : 0;
    }
    int marks = 0;
    while (marks < text.length()
        && marks <= LEAD_IN
        && "\"'`“”„«»‹›….: \n\t".indexOf(text.charAt(marks)) >= 0) {
      marks++;
    }
    return marks <= LEAD_IN ? marks : 0;
  }

  private static boolean opensFence(CharSequence text) {
    return text.toString().stripLeading().startsWith("```");
  }

  private static boolean namesLanguage(CharSequence text) {
    String fence = text.toString().stripLeading();
    return fence.length() > 3 && Character.isLetterOrDigit(fence.charAt(3));
  }

  private static boolean insideFence(String text) {
    boolean inside = false;
    for (String line : (Iterable<String>) text.lines()::iterator) {
      inside ^= line.stripLeading().startsWith("```");
    }
    return inside;
  }
}
