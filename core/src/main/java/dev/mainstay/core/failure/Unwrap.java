package dev.mainstay.core.failure;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes the wrappers off an error, one inside the other, until only what the provider said is left.
 *
 * <p>A text is scanned once for object dumps; what is outside them is the words of whoever wrote
 * the text, and strings inside them that are texts again are scanned in turn, at most {@value
 * #MAX_DEPTH} deep. In an object only fields that errors use are followed. So prompts, tool
 * arguments and other echoes are never taken for the provider's words. Each level handles at most
 * what the level above handed to it, and what is kept is capped: linear time, bounded memory.
 */
final class Unwrap {
  private static final int MAX_DEPTH = 6;
  private static final int MAX_SIBLINGS = 12;
  private static final int MAX_TEXTS = 64;
  private static final int MAX_DUMP = 600;
  private static final int MIN_SENTENCE = 10;
  private static final int MAX_SENTENCE = 400;
  private static final Set<String> GRPC = GrpcStatus.names();

  private final Facts facts;
  private final Instant now;
  private final Set<String> codes = new LinkedHashSet<>();
  private final Set<String> types = new LinkedHashSet<>();
  private final Set<String> finish = new LinkedHashSet<>();
  private final Set<String> shapes = new LinkedHashSet<>();
  private final Words message = new Words();
  private final Words client = new Words();
  private int texts;
  private int statusDepth = -1;
  private @Nullable Integer innerStatus;
  private @Nullable String grpc;
  private @Nullable String aws;
  private @Nullable String param;
  private @Nullable String sender;
  private @Nullable Duration wait;
  private boolean limitZero;

  Unwrap(Facts facts, Instant now) {
    this.facts = facts;
    this.now = now;
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

  Evidence evidence() {
    var body = facts.body();
    var text = facts.message();
    if (body != null && !body.isBlank()) {
      text(body, true, 0);
    }
    if (text != null && !text.isBlank()) {
      text(text, false, 0);
    }
    if (message.isEmpty() && client.isEmpty() && shapes.isEmpty()) {
      shapes.add("empty");
    }
    var said = message.toString();
    var around = client.toString();
    var size = PromptSize.shape(said.isEmpty() ? around : said);
    if (size != null) {
      shapes.add(size);
    }
    awsName(said, around);
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
    if (hint == null) {
      hint = wait;
    }
    if (hint == null) {
      hint = RetryHints.inProse(said, now);
    }
    if (hint == null) {
      hint = RetryHints.inProse(around, now);
    }
    return new Evidence(
        facts,
        status(said, around),
        codes,
        types,
        grpc,
        aws,
        param,
        finish,
        shapes,
        sender,
        said,
        around,
        hint,
        limitZero);
  }

  private @Nullable Integer status(String said, String around) {
    var outer = facts.status();
    if (innerStatus != null) {
      return innerStatus;
    }
    if (outer != null && outer >= 300) {
      return outer;
    }
    var written = StatusText.in(around);
    if (written == null) {
      written = StatusText.atStart(said);
    }
    if (written == null) {
      written = StatusText.ofExceptionName(around);
    }
    if (written == null && grpc != null) {
      written = GrpcStatus.http(grpc);
    }
    return written == null ? outer : written;
  }

  private void awsName(String said, String around) {
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

  /** Scans one text; {@code provider} says whose words stand outside the objects in it. */
  private void text(String raw, boolean provider, int depth) {
    if (++texts > MAX_TEXTS) {
      return;
    }
    var words = provider ? message : client;
    if (depth > MAX_DEPTH) {
      words.add(raw, provider);
      return;
    }
    var text = raw;
    int page = Html.start(text);
    if (page >= 0) {
      shapes.add("html");
      message.add(Html.visible(text, page), false);
      text = text.substring(0, page);
    }
    var outside = new StringBuilder();
    int i = 0;
    for (int open = nextOpen(text, 0); open >= 0; open = nextOpen(text, Math.max(open + 1, i))) {
      if (isEscaped(text, open)) {
        words.add(outside.append(text, i, open).toString(), provider);
        text(Json.unescaped(text.substring(open)), provider, depth + 1);
        return;
      }
      if (!Json.beginsAt(text, open)) {
        continue;
      }
      outside.append(text, i, open).append(' ');
      var read = Json.read(text, open);
      i = read.end();
      shapes.add("json");
      if (!read.complete()) {
        shapes.add("truncated");
      }
      int before = facts();
      int said = message.length();
      value(read.value(), depth);
      var written = text.substring(open, Math.min(i, text.length()));
      if (!read.complete()
          && message.length() - said < MIN_SENTENCE
          && isBrokenError(read.value())) {
        outside.append(written, 0, Math.min(MAX_DUMP, written.length())).append(' ');
      } else if (facts() == before) {
        unknown(read.value(), written, provider, outside);
      }
    }
    if (i < text.length()) {
      outside.append(text, i, text.length());
    }
    words.add(outside.toString(), provider);
    if (!provider || depth == 0) {
      frame(outside);
    }
  }

  /** How much has been found so far. */
  private int facts() {
    return codes.size()
        + types.size()
        + finish.size()
        + message.length()
        + client.length()
        + (innerStatus == null ? 0 : 1)
        + (wait == null ? 0 : 1)
        + (limitZero ? 1 : 0);
  }

  /**
   * An object without a field that errors use: a client's dump of its own error is words, a
   * provider's odd object of a few short strings too ({@code {"error parsing tool call": "…"}}).
   */
  private void unknown(
      @Nullable Object value, String written, boolean provider, StringBuilder outside) {
    if (!provider && written.length() <= MAX_DUMP && !isRequest(value)) {
      outside.append(written).append(' ');
    } else if (provider && value instanceof Map<?, ?> map && map.size() <= 2) {
      for (var entry : map.entrySet()) {
        if (entry.getValue() instanceof String words
            && words.length() <= MAX_DUMP
            && String.valueOf(entry.getKey()).contains("error")) {
          message.add(entry.getKey() + ": " + words, true);
        }
      }
    }
  }

  /**
   * Whether an object that broke off, or was pasted with gaps, is an error's: its text is words.
   */
  private static boolean isBrokenError(@Nullable Object value) {
    return value instanceof Map<?, ?> map
        && !isRequest(map)
        && (map.containsKey("error") || map.containsKey("args") || map.containsKey("message"));
  }

  private static boolean isRequest(@Nullable Object value) {
    return !(value instanceof Map<?, ?> map)
        || map.containsKey("messages")
        || map.containsKey("content")
        || map.containsKey("contents")
        || map.containsKey("prompt")
        || map.containsKey("input")
        || map.containsKey("arguments");
  }

  private void frame(CharSequence outside) {
    var head = outside.subSequence(0, Math.min(200, outside.length())).toString();
    if (head.contains("event: error") || head.contains("event:error")) {
      shapes.add("event-error");
    }
  }

  private static int nextOpen(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '{' || c == '[') {
        return i;
      }
    }
    return -1;
  }

  /** Whether the object at {@code open} is a level of escapes away from being one. */
  private static boolean isEscaped(String text, int open) {
    if (text.charAt(open) != '{') {
      return false;
    }
    if (open >= 2 && text.charAt(open - 2) == 'b' && "'\"".indexOf(text.charAt(open - 1)) >= 0) {
      return text.indexOf('\\', open, Math.min(text.length(), open + 4_000)) > 0;
    }
    int i = open + 1;
    int limit = Math.min(text.length() - 1, open + 40);
    while (i < limit) {
      char c = text.charAt(i);
      if (c == '\\') {
        if (text.charAt(i + 1) == '"') {
          return true;
        }
        i += 2;
      } else if (c == '"' && i > open + 1 && text.charAt(i - 1) == '\\') {
        return true;
      } else if (c == ' ' || c == 'n') {
        i++;
      } else {
        return false;
      }
    }
    return false;
  }

  private void value(@Nullable Object value, int depth) {
    if (depth > 2 * MAX_DEPTH) {
      return;
    }
    if (value instanceof Map<?, ?> map) {
      object(map, depth);
    } else if (value instanceof List<?> list) {
      int end = Math.min(list.size(), MAX_SIBLINGS);
      for (int i = 0; i < end; i++) {
        value(list.get(i), depth);
      }
    }
  }

  private void object(Map<?, ?> map, int depth) {
    shape(map);
    for (var entry : map.entrySet()) {
      var value = entry.getValue();
      if (value != null) {
        field(plain(String.valueOf(entry.getKey())), value, map, depth);
      }
    }
  }

  private void shape(Map<?, ?> map) {
    var type = map.get("type");
    if ("error".equals(type) && map.get("error") instanceof Map<?, ?>) {
      shapes.add("anthropic");
    }
    if (map.get("type") instanceof String event && event.startsWith("response.")) {
      shapes.add(event.toLowerCase(Locale.ROOT));
    }
    if (saysNothing(map)) {
      shapes.add("no-content");
    }
    if (map.get("key") instanceof String key && map.get("value") instanceof String value) {
      limit(plain(key), value);
    }
  }

  /** Whether {@code map} is a model's message without text, refusal, reasoning or call. */
  private static boolean saysNothing(Map<?, ?> map) {
    var role = map.get("role");
    return ("assistant".equals(role) && map.containsKey("content") && isNothing(map.get("content"))
            || "model".equals(role) && isNothing(map.get("parts")))
        && isNothing(map.get("tool_calls"))
        && isNothing(map.get("function_call"))
        && isNothing(map.get("refusal"))
        && isNothing(map.get("reasoning_content"))
        && isNothing(map.get("reasoning"));
  }

  private static boolean isNothing(@Nullable Object value) {
    return value == null
        || value instanceof String text && text.isBlank()
        || value instanceof List<?> list && list.isEmpty();
  }

  private void field(String key, Object value, Map<?, ?> parent, int depth) {
    switch (key) {
      case "error", "err", "errors", "detail", "details", "errordetails", "fault", "exception" ->
          nestedOrWords(value, depth);
      case "message", "msg", "errormsg", "errormessage", "statusmsg", "errordescription" ->
          nestedOrWords(value, depth);
      case "response",
          "responsebody",
          "body",
          "data",
          "raw",
          "cause",
          "lasterror",
          "upstreamerror",
          "originalerror",
          "errorbody",
          "text",
          "previouserrors" ->
          nestedOrObjectText(key, value, depth);
      case "innererror",
          "metadata",
          "availability",
          "baseresp",
          "header",
          "headers",
          "responseheaders",
          "output",
          "violations",
          "fieldviolations",
          "promptfeedback",
          "incompletedetails",
          "result",
          "responsemetadata" ->
          value(value, depth + 1);
      case "candidates", "choices" -> {
        if (value instanceof List<?> answers && answers.isEmpty()) {
          shapes.add("no-content");
        }
        value(value, depth + 1);
      }
      case "refusal" -> {
        if (value instanceof String refused && !refused.isBlank()) {
          finish.add("refusal");
        }
      }
      case "content" -> {
        if (value instanceof Map<?, ?> message && saysNothing(message)) {
          shapes.add("no-content");
        }
      }
      case "description" -> {
        if (value instanceof String words && depth > 0) {
          text(words, true, depth + 1);
        }
      }
      case "args" -> {
        if (parent.containsKey("error_type")) {
          value(value, depth + 1);
        }
      }
      case "title", "hint" -> {
        if (value instanceof String words && !parent.containsKey("message")) {
          message.add(words, true);
        }
      }
      case "code",
          "errorcode",
          "statuscode",
          "status",
          "httpcode",
          "httpstatus",
          "httpstatuscode",
          "errno",
          "errortype",
          "originalstatuscode" ->
          code(key, value, depth);
      case "type" -> add(types, value);
      case "name" -> {
        if (value instanceof String name && name.length() < 80) {
          client.add(name, false);
        }
      }
      case "reason" -> reason(value, depth);
      case "param" -> parameter(value, depth);
      case "loc" -> param = param == null ? location(value) : param;
      case "finishreason", "stopreason", "blockreason", "stopdetails" -> {
        if (value instanceof String) {
          add(finish, value);
        } else {
          value(value, depth + 1);
        }
      }
      case "quotaid", "quotametric", "quotalimit" -> add(codes, value);
      case "quotavalue", "quotalimitvalue" -> limit(key, String.valueOf(value));
      case "providername" -> sender = sender == null ? String.valueOf(value) : sender;
      case "retryable", "isretryable" -> shapes.add("retryable-" + value);
      case "xamznerrortype" -> aws = AwsName.plain(String.valueOf(value));
      default -> {
        if (key.equals("type__") || key.equals("amzntype")) {
          aws = AwsName.plain(String.valueOf(value));
        } else if (RetryHints.isField(key)) {
          var hint = RetryHints.ofField(key, value, now);
          wait = hint == null ? wait : hint;
        }
      }
    }
  }

  /** {@code error_code} and {@code errorCode} alike: letters and digits in lower case. */
  private static String plain(String key) {
    if (key.equals("__type")) {
      return "amzntype";
    }
    if (key.length() > 40) {
      return "";
    }
    var out = new StringBuilder(key.length());
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        out.append((char) (c + 32));
      } else if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
        out.append(c);
      }
    }
    return out.toString();
  }

  private void nestedOrWords(Object value, int depth) {
    if (value instanceof String words) {
      text(words, true, depth + 1);
    } else if (value instanceof List<?> list) {
      int end = Math.min(list.size(), MAX_SIBLINGS);
      for (int i = 0; i < end; i++) {
        if (list.get(i) instanceof String words) {
          text(words, true, depth + 1);
        } else {
          value(list.get(i), depth + 1);
        }
      }
    } else {
      value(value, depth + 1);
    }
  }

  private void nestedOrObjectText(String key, Object value, int depth) {
    if (!(value instanceof String words)) {
      value(value, depth + 1);
    } else if (key.equals("raw") || words.indexOf('{') >= 0 && !key.equals("text")) {
      text(words, true, depth + 1);
    } else if (Html.start(words) >= 0) {
      text(words, true, depth + 1);
    }
  }

  private void code(String key, Object value, int depth) {
    int number = -1;
    if (value instanceof Double d && d == Math.rint(d)) {
      number = d.intValue();
      if (number < 100 || number > 599) {
        codes.add(Integer.toString(number));
        return;
      }
    } else if (value instanceof String s) {
      var name = s.strip().toLowerCase(Locale.ROOT);
      number = name.length() == 3 ? StatusText.number(name, 0) : -1;
      if (number < 0) {
        named(key, name, s);
        return;
      }
    }
    if (number >= 400 && depth >= statusDepth) {
      statusDepth = depth;
      innerStatus = number;
    }
  }

  private void named(String key, String name, String written) {
    if (GRPC.contains(name)
        && (key.equals("status") || written.equals(name.toUpperCase(Locale.ROOT)))) {
      grpc = name;
      codes.add(name);
      shapes.add("google");
    } else if (!key.equals("status") || written.equals(written.toUpperCase(Locale.ROOT))) {
      add(codes, name);
    }
    if (key.equals("errortype")) {
      add(types, name);
    }
  }

  private void reason(Object value, int depth) {
    if (value instanceof String words && words.indexOf(' ') > 0) {
      text(words, true, depth + 1);
    } else {
      add(codes, value);
    }
  }

  /** A name, or what some relays put there: the sentence itself. */
  private void parameter(Object value, int depth) {
    if (value instanceof String name) {
      param = param == null ? name : param;
      if (name.indexOf(' ') > 0 && name.indexOf(' ', name.indexOf(' ') + 1) > 0) {
        text(name, true, depth + 1);
      }
    }
  }

  private void limit(String key, String value) {
    if (key.equals("quotavalue") || key.equals("quotalimitvalue")) {
      limitZero |= value.equals("0") || value.equals("0.0");
    }
  }

  private static @Nullable String location(Object value) {
    if (!(value instanceof List<?> list)) {
      return null;
    }
    var path = new StringBuilder();
    for (var part : list.subList(0, Math.min(MAX_SIBLINGS, list.size()))) {
      path.append(path.isEmpty() ? "" : ".").append(part);
    }
    return path.toString();
  }

  private static void add(Set<String> names, Object value) {
    if (names.size() < 32) {
      if (value instanceof String name && name.length() <= 120) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      } else if (value instanceof Double d) {
        names.add(d == Math.rint(d) ? Long.toString(d.longValue()) : d.toString());
      }
    }
  }
}
