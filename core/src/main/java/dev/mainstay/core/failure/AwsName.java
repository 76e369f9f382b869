package dev.mainstay.core.failure;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The name of an AWS error, wherever it stands. Names:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html and the
 * common errors of AWS APIs.
 */
final class AwsName {
  private static final Set<String> KNOWN =
      Set.of(
          "accessdeniedexception",
          "conflictexception",
          "expiredtokenexception",
          "expiredtoken",
          "internalserverexception",
          "invalidsignatureexception",
          "modelerrorexception",
          "modelnotreadyexception",
          "modelstreamerrorexception",
          "modeltimeoutexception",
          "resourcenotfoundexception",
          "servicequotaexceededexception",
          "serviceunavailableexception",
          "throttlingexception",
          "toomanyrequestsexception",
          "unrecognizedclientexception",
          "validationexception",
          "optinrequired",
          "ftuformnotfilled",
          "incompletesignature",
          "missingauthenticationtokenexception");

  /** Of the known names. */
  private static final int SHORTEST = 12;

  private AwsName() {}

  static @Nullable String inHeader(Headers headers) {
    var type = headers.get("x-amzn-errortype");
    if (type == null) {
      type = headers.get(":exception-type");
    }
    return type == null ? null : plain(type);
  }

  /** {@code com.amazon#ThrottlingException:http://…} is {@code throttlingexception}. */
  static @Nullable String plain(String type) {
    int hash = type.lastIndexOf('#');
    int colon = type.indexOf(':', Math.max(hash, 0));
    var name = type.substring(hash + 1, colon < 0 ? type.length() : colon).strip();
    return name.isEmpty() ? null : name.toLowerCase(Locale.ROOT);
  }

  /** The first known name in {@code text}, or the one in botocore's "An error occurred (…)". */
  static @Nullable String in(String text) {
    int botocore = text.indexOf("An error occurred (");
    if (botocore >= 0) {
      int from = botocore + "An error occurred (".length();
      int close = text.indexOf(')', from);
      if (close > from && close - from < 60) {
        return text.substring(from, close).toLowerCase(Locale.ROOT);
      }
    }
    int i = 0;
    while (i + SHORTEST <= text.length()) {
      int middle = i + SHORTEST - 1; // of every word that is long enough, one letter is looked at
      if (!isLetter(text.charAt(middle))) {
        i = middle + 1;
        continue;
      }
      int start = middle;
      while (start > i && isLetter(text.charAt(start - 1))) {
        start--;
      }
      int end = middle + 1;
      while (end < text.length() && isLetter(text.charAt(end))) {
        end++;
      }
      if (end - start >= SHORTEST && end - start <= 40) {
        var word = text.substring(start, end).toLowerCase(Locale.ROOT);
        if (KNOWN.contains(word)) {
          return word;
        }
      }
      i = end;
    }
    return null;
  }

  private static boolean isLetter(char c) {
    return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
  }
}
