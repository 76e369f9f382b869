package dev.mainstay.core.failure;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The name of an AWS error, wherever it stands. Names:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html and the
 * common errors of AWS APIs.
 */
final class AwsName {
  private static final Lexicon<String> KNOWN =
      Lexicon.ofAnyCase(
          Stream.of(
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
                  "missingauthenticationtokenexception")
              .collect(Collectors.toMap(name -> name, name -> name)));

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
    return KNOWN.first(text);
  }
}
