package dev.mainstay.core.failure;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What has been found in an error so far; {@link ErrorUnwrapper} and {@link ErrorFields} add to it.
 */
final class ErrorFindings {
  private static final int MAX_NAMES = 32;
  private static final int MAX_NAME = 120;
  private static final int MAX_SENTENCE = 400;

  /** Types by which providers repeat their own 4xx. */
  private static final Map<String, Integer> REFUSALS =
      Map.of(
          "invalid_request_error", 400,
          "bad_request_error", 400,
          "badrequesterror", 400,
          "authentication_error", 401,
          "permission_error", 403,
          "not_found_error", 404,
          "request_too_large", 413);

  final Set<String> codes = new LinkedHashSet<>();
  final Set<String> types = new LinkedHashSet<>();
  final Set<String> finish = new LinkedHashSet<>();
  final Set<String> shapes = new LinkedHashSet<>();
  final ErrorWords message = new ErrorWords();
  final ErrorWords client = new ErrorWords();
  @Nullable String grpc;
  @Nullable String aws;
  @Nullable String param;
  @Nullable String sender;
  @Nullable Duration wait;
  boolean limitZero;
  private int statusDepth = -1;
  private @Nullable Integer innerStatus;
  private @Nullable Integer innerRefusal;

  /** How many texts within texts the one that is read now lies deep. */
  int layer;

  /** A status that stands {@code depth} objects deep: the innermost counts. */
  void status(int number, int depth) {
    if (number >= 400 && depth >= statusDepth) {
      statusDepth = depth;
      innerStatus = number;
    }
  }

  /** Adds a type in lower case; one within a text counts as the status that it repeats. */
  void type(Object value) {
    name(types, value);
    if (layer > 0 && value instanceof String name) {
      var status = REFUSALS.get(name.toLowerCase(Locale.ROOT));
      innerRefusal = status == null ? innerRefusal : status;
    }
  }

  /** Adds a name in lower case; what is too long for one, or one too many, is left out. */
  static void name(Set<String> names, Object value) {
    if (names.size() < MAX_NAMES) {
      if (value instanceof String name && name.length() <= MAX_NAME) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      } else if (value instanceof Double d) {
        names.add(d == Math.rint(d) ? Long.toString(d.longValue()) : d.toString());
      }
    }
  }

  /** How much has been found so far. */
  int size() {
    return codes.size()
        + types.size()
        + finish.size()
        + message.length()
        + client.length()
        + (innerStatus == null ? 0 : 1)
        + (wait == null ? 0 : 1)
        + (limitZero ? 1 : 0);
  }

  /** What was found, with what only the whole of the words and the headers say. */
  Evidence evidence(Facts facts, Instant now) {
    if (message.isEmpty() && client.isEmpty() && shapes.isEmpty()) {
      shapes.add("empty");
    }
    var said = message.toString();
    var around = client.toString();
    var size = PromptSize.shape(said.isEmpty() ? around : said);
    if (size != null) {
      shapes.add(size);
    }
    if (PromptSize.isOverLimit(said.isEmpty() ? around : said)) {
      shapes.add("over-limit");
    }
    awsName(facts, said, around);
    if (grpc == null) {
      grpc = GrpcStatus.in(around);
    }
    if (grpc == null && !said.isEmpty()) {
      grpc = GrpcStatus.in(said);
    }
    if (aws != null) {
      shapes.add("aws");
    }
    if (isSentence(said.isEmpty() ? around : said)) {
      shapes.add("sentence");
    }
    var hint = RetryHints.fromHeaders(facts.headers(), now);
    return new Evidence(
        facts,
        status(facts, said, around),
        new Evidence.Names(codes, types, grpc, aws, param, finish, shapes),
        sender,
        said,
        around,
        hint == null ? wait : hint,
        now,
        limitZero);
  }

  private @Nullable Integer status(Facts facts, String said, String around) {
    var outer = innerStatus == null ? facts.status() : innerStatus;
    if (outer != null && outer >= 300) {
      var inner = outer >= 500 ? refusal(said, around) : null;
      return inner == null ? outer : inner;
    }
    var written = StatusText.in(around);
    if (written == null) {
      written = StatusText.in(said);
    }
    if (written == null) {
      written = StatusText.ofExceptionName(around);
    }
    if (written == null && grpc != null) {
      written = GrpcStatus.http(grpc);
    }
    return written == null ? outer : written;
  }

  /** A 4xx that the words name inside an outer 5xx: the cause, whatever wraps it. */
  private @Nullable Integer refusal(String said, String around) {
    var written = StatusText.in(said.isEmpty() ? around : said);
    if (written == null && !said.isEmpty()) {
      written = StatusText.ofExceptionName(said);
    }
    if (written == null) {
      written = innerRefusal;
    }
    return written != null && written < 500 ? written : null;
  }

  private void awsName(Facts facts, String said, String around) {
    if (aws == null) {
      aws = AwsName.inHeader(facts.headers());
    }
    if (aws == null) {
      aws = AwsName.in(around);
    }
    if (aws == null) {
      aws = AwsName.in(said);
    }
  }

  /** What a program says to a person, with nothing in it that was made for machines. */
  private boolean isSentence(String words) {
    return !words.isEmpty()
        && words.length() <= MAX_SENTENCE
        && codes.isEmpty()
        && types.isEmpty()
        && grpc == null
        && aws == null;
  }
}
