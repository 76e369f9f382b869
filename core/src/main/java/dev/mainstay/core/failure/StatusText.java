package dev.mainstay.core.failure;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A status that is written in a text: {@code Error code: 429 - …}, {@code status_code=503}, {@code
 * [400 Bad Request]}, {@code openai.RateLimitError}. A number counts only where the words before it
 * or its reason phrase behind it say that it is one: 4294 and 1429 are not 429.
 */
final class StatusText {
  private static final String[] LEADS = {
    "error code",
    "status code",
    "status_code",
    "statuscode",
    "status",
    "http code",
    "http",
    "code",
    "http/1.1",
    "http/1.0",
    "http/2",
    "http/2.0",
    "error",
    "response",
    "got",
    "returned",
    "responded with",
    "failed with",
    "exception",
    "response code",
    "api error",
    "failed",
    "received",
    "code was",
    "status was",
    "status of",
    "code of",
    "caused by",
    "upstream"
  };
  private static final String[] PHRASES = {
    " bad request",
    " unauthorized",
    " payment required",
    " forbidden",
    " not found",
    " method not allowed",
    " request timeout",
    " conflict",
    " gone",
    " payload too large",
    " request entity too large",
    " content too large",
    " unprocessable",
    " too many requests",
    " client closed",
    " internal server error",
    " not implemented",
    " bad gateway",
    " service unavailable",
    " service temporarily unavailable",
    " gateway time",
    " overloaded",
    " provider returned",
    " precondition failed",
    " locked",
    " failed dependency",
    " status code",
    " server error",
    " resource_exhausted",
    " invalid_argument"
  };

  /** What the class names of the SDKs, of LiteLLM and of LangChain4j stand for. */
  private static final Lexicon<Integer> EXCEPTIONS =
      Lexicon.ofAnyCase(
          Map.ofEntries(
              Map.entry("ratelimiterror", 429),
              Map.entry("badrequesterror", 400),
              Map.entry("invalidrequesterror", 400),
              Map.entry("authenticationerror", 401),
              Map.entry("permissiondeniederror", 403),
              Map.entry("notfounderror", 404),
              Map.entry("conflicterror", 409),
              Map.entry("unprocessableentityerror", 422),
              Map.entry("internalservererror", 500),
              Map.entry("serviceunavailableerror", 503),
              Map.entry("overloadederror", 529),
              Map.entry("resourceexhausted", 429),
              Map.entry("toomanyrequests", 429),
              Map.entry("contextwindowexceedederror", 400),
              Map.entry("unsupportedparamserror", 400),
              Map.entry("throttlingexception", 429),
              Map.entry("validationexception", 400),
              Map.entry("badrequestexception", 400),
              Map.entry("invalidrequestexception", 400),
              Map.entry("authenticationexception", 401),
              Map.entry("unauthorizedexception", 401),
              Map.entry("permissiondeniedexception", 403),
              Map.entry("modelnotfoundexception", 404),
              Map.entry("notfoundexception", 404),
              Map.entry("unprocessableentityexception", 422),
              Map.entry("ratelimitexception", 429),
              Map.entry("toomanyrequestsexception", 429),
              Map.entry("toomanyrequestserror", 429),
              Map.entry("modelratelimiterror", 429),
              Map.entry("internalserverexception", 500),
              Map.entry("invalidargument", 400),
              Map.entry("permissiondenied", 403),
              Map.entry("serviceunavailable", 503),
              Map.entry("badgateway", 502),
              Map.entry("badgatewayerror", 502),
              Map.entry("badgatewayexception", 502),
              Map.entry("gatewaytimeout", 504),
              Map.entry("gatewaytimeouterror", 504),
              Map.entry("gatewaytimeoutexception", 504),
              Map.entry("serviceunavailableexception", 503),
              Map.entry("unauthorizederror", 401),
              Map.entry("forbiddenerror", 403),
              Map.entry("forbiddenexception", 403),
              Map.entry("paymentrequirederror", 402),
              Map.entry("paymentrequiredexception", 402),
              Map.entry("payloadtoolargeerror", 413),
              Map.entry("requestentitytoolarge", 413),
              Map.entry("unprocessableentity", 422),
              Map.entry("resourcenotfoundexception", 404),
              Map.entry("resourcenotfounderror", 404),
              Map.entry("internalservererrorexception", 500),
              Map.entry("overloadedexception", 529),
              Map.entry("accessdeniedexception", 403)));

  /** Numbers looked at in one text. */
  private static final int MAX_CANDIDATES = 200;

  private StatusText() {}

  /** The last status from 400 to 599 that {@code text} names as one, or null. */
  static @Nullable Integer in(String text) {
    Integer found = null;
    int candidates = 0;
    for (int i = 0; i + 3 <= text.length() && candidates < MAX_CANDIDATES; i++) {
      char c = text.charAt(i);
      if ((c == '4' || c == '5') && number(text, i) > 0) {
        candidates++;
        if (isLed(text, i) || hasPhrase(text, i + 3) || startsLine(text, i)) {
          found = number(text, i);
        }
        i += 2;
      }
    }
    return found;
  }

  /** The status at the very beginning of a provider's message, or null. */
  static @Nullable Integer atStart(String text) {
    int number = number(text, 0);
    return number >= 400 && (text.length() == 3 || ": -".indexOf(text.charAt(3)) >= 0)
        ? Integer.valueOf(number)
        : null;
  }

  /** What the first class name of an exception in {@code text} stands for, or null. */
  static @Nullable Integer ofExceptionName(String text) {
    return EXCEPTIONS.first(text);
  }

  /** The number from 400 to 599 that stands alone at {@code i}, or -1. */
  static int number(String text, int i) {
    if (i < 0 || i + 3 > text.length()) {
      return -1;
    }
    int value = 0;
    for (int k = i; k < i + 3; k++) {
      char c = text.charAt(k);
      if (c < '0' || c > '9') {
        return -1;
      }
      value = value * 10 + c - '0';
    }
    boolean alone =
        (i == 0 || isBorder(text.charAt(i - 1)) && !isFraction(text, i))
            && (i + 3 == text.length() || endsNumber(text, i + 3));
    return alone && value >= 400 && value <= 599 ? value : -1;
  }

  private static boolean isBorder(char c) {
    return !(c >= '0' && c <= '9'
        || c == '_'
        || c == '$'
        || c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z');
  }

  private static boolean isFraction(String text, int i) {
    char before = text.charAt(i - 1);
    return (before == '.' || before == ',')
        && i >= 2
        && text.charAt(i - 2) >= '0'
        && text.charAt(i - 2) <= '9';
  }

  private static boolean endsNumber(String text, int end) {
    char c = text.charAt(end);
    if (c >= '0' && c <= '9' || c == '_' || c >= 'a' && c <= 'z') {
      return false;
    }
    boolean point = c == '.' || c == ',';
    return !(point
        && end + 1 < text.length()
        && text.charAt(end + 1) >= '0'
        && text.charAt(end + 1) <= '9');
  }

  private static boolean isLed(String text, int i) {
    int end = i;
    while (end > 0 && " :=(['\"#-".indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    if (end == i && end > 0) {
      return false;
    }
    for (var lead : LEADS) {
      int from = end - lead.length();
      if (from >= 0
          && text.regionMatches(true, from, lead, 0, lead.length())
          && (from == 0 || !Character.isLetter(text.charAt(from - 1)) || lead.length() > 4)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasPhrase(String text, int end) {
    int from = end < text.length() && ")]:,".indexOf(text.charAt(end)) >= 0 ? end + 1 : end;
    if (from + 1 < text.length() && text.charAt(from) == ' ' && text.charAt(from + 1) == '(') {
      return hasPhraseAt(text, from + 2, 1);
    }
    return hasPhraseAt(text, from, 0);
  }

  private static boolean hasPhraseAt(String text, int at, int skip) {
    for (var phrase : PHRASES) {
      if (text.regionMatches(true, at, phrase, skip, phrase.length() - skip)) {
        return true;
      }
    }
    return false;
  }

  private static boolean startsLine(String text, int i) {
    boolean starts = i == 0 || text.charAt(i - 1) == '\n';
    return starts && (i + 3 == text.length() || " :-\"\n,".indexOf(text.charAt(i + 3)) >= 0);
  }
}
