package dev.mainstay.core.failure;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields that errors use, whatever the provider calls them, out of objects that stand in
 * an error. What a client sent (prompts, tools, arguments) has other names and is never looked at.
 */
final class ErrorFields {
  private static final int MAX_DEPTH = 2 * ErrorUnwrapper.MAX_DEPTH;
  private static final int MAX_SIBLINGS = 12;
  private static final Set<String> GRPC = GrpcStatus.names();

  private final ErrorFindings found;
  private final Instant now;
  private final Texts texts;

  /** Takes a field that is a text again. */
  interface Texts {
    void scan(String text, int depth);
  }

  ErrorFields(ErrorFindings found, Instant now, Texts texts) {
    this.found = found;
    this.now = now;
    this.texts = texts;
  }

  void value(@Nullable Object value, int depth) {
    if (depth > MAX_DEPTH) {
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
    if ("error".equals(map.get("type")) && map.get("error") instanceof Map<?, ?>) {
      found.shapes.add("anthropic");
    }
    if (map.get("type") instanceof String event && event.startsWith("response.")) {
      found.shapes.add(event.toLowerCase(Locale.ROOT));
    }
    if (FailedAnswers.saysNothing(map)) {
      found.shapes.add("no-content");
    }
    if (map.get("key") instanceof String key && map.get("value") instanceof String value) {
      limit(plain(key), value);
    }
  }

  private void field(String key, Object value, Map<?, ?> parent, int depth) {
    switch (key) {
      case "error", "err", "errors", "detail", "details", "errordetails", "fault", "exception" ->
          nestedOrWords(value, depth);
      case "errormessage", "errordescription" -> {
        if (value instanceof String words && isRetold(parent)) {
          found.client.add(words, false);
        } else {
          nestedOrWords(value, depth);
        }
      }
      case "message", "msg", "errormsg", "statusmsg", "rawerrormessage" ->
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
        if (value instanceof List<?> none && none.isEmpty()) {
          found.shapes.add("no-content");
        }
        value(value, depth + 1);
      }
      case "refusal" -> {
        if (value instanceof String refused && !refused.isBlank()) {
          found.finish.add("refusal");
        }
      }
      case "content" -> {
        if (value instanceof Map<?, ?> message && FailedAnswers.saysNothing(message)) {
          found.shapes.add("no-content");
        }
      }
      case "description" -> {
        if (value instanceof String words && depth > 0) {
          texts.scan(words, depth + 1);
        }
      }
      case "args" -> {
        if (parent.containsKey("error_type")) {
          value(value, depth + 1);
        }
      }
      case "title", "hint" -> {
        if (value instanceof String words && !parent.containsKey("message")) {
          found.message.add(words, true);
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
      case "type" -> found.type(value);
      case "name" -> {
        if (value instanceof String name && name.length() < 80) {
          found.client.add(name, false);
        }
      }
      case "reason" -> reason(value, depth);
      case "param" -> parameter(value, depth);
      case "loc" -> found.param = found.param == null ? location(value) : found.param;
      case "finishreason", "stopreason", "blockreason", "stopdetails" -> {
        if (value instanceof String) {
          ErrorFindings.name(found.finish, value);
        } else {
          value(value, depth + 1);
        }
      }
      case "quotaid", "quotametric", "quotalimit" -> ErrorFindings.name(found.codes, value);
      case "quotavalue", "quotalimitvalue" -> limit(key, String.valueOf(value));
      case "providername" ->
          found.sender = found.sender == null ? String.valueOf(value) : found.sender;
      case "retryable", "isretryable" -> found.shapes.add("retryable-" + value);
      case "xamznerrortype" -> found.aws = AwsName.plain(String.valueOf(value));
      default -> {
        if (key.equals("type__") || key.equals("amzntype")) {
          found.aws = AwsName.plain(String.valueOf(value));
        } else if (RetryHints.isField(key)) {
          var hint = RetryHints.ofField(key, value, now);
          found.wait = hint == null ? found.wait : hint;
        }
      }
    }
  }

  /** Whether the words are n8n's own, which keeps the provider's beside them. */
  private static boolean isRetold(Map<?, ?> error) {
    return error.get("errorDetails") instanceof Map<?, ?> details
        && details.containsKey("rawErrorMessage");
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
      texts.scan(words, depth + 1);
    } else if (value instanceof List<?> list) {
      int end = Math.min(list.size(), MAX_SIBLINGS);
      for (int i = 0; i < end; i++) {
        if (list.get(i) instanceof String words) {
          texts.scan(words, depth + 1);
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
      texts.scan(words, depth + 1);
    } else if (Html.start(words) >= 0) {
      texts.scan(words, depth + 1);
    }
  }

  private void code(String key, Object value, int depth) {
    int number = -1;
    if (value instanceof Double d && d == Math.rint(d)) {
      number = d.intValue();
      if (number < 100 || number > 599) {
        found.codes.add(Integer.toString(number));
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
    found.status(number, depth);
  }

  private void named(String key, String name, String written) {
    if (GRPC.contains(name)
        && (key.equals("status") || written.equals(name.toUpperCase(Locale.ROOT)))) {
      found.grpc = name;
      found.codes.add(name);
      found.shapes.add("google");
    } else if (!key.equals("status") || written.equals(written.toUpperCase(Locale.ROOT))) {
      ErrorFindings.name(found.codes, name);
    }
    if (key.equals("errortype")) {
      ErrorFindings.name(found.types, name);
    }
  }

  private void reason(Object value, int depth) {
    if (value instanceof String words && words.indexOf(' ') > 0) {
      texts.scan(words, depth + 1);
    } else {
      ErrorFindings.name(found.codes, value);
    }
  }

  /** A name, or what some relays put there: the sentence itself. */
  private void parameter(Object value, int depth) {
    if (value instanceof String name) {
      found.param = found.param == null ? name : found.param;
      if (name.indexOf(' ') > 0 && name.indexOf(' ', name.indexOf(' ') + 1) > 0) {
        texts.scan(name, depth + 1);
      }
    }
  }

  private void limit(String key, String value) {
    if (key.equals("quotavalue") || key.equals("quotalimitvalue")) {
      found.limitZero |= value.equals("0") || value.equals("0.0");
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
}
