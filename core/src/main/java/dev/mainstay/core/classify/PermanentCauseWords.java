package dev.mainstay.core.classify;

import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import java.util.List;
import java.util.Set;

/**
 * Words that name a cause which no wait mends. Where one stands beside "please try again later",
 * the sentence is not believed: a rule that would retry because of words alone is passed over, and
 * the next one is asked. None of them stands in any of the labelled failures that passed by
 * themselves, but for those whose code, type or status says so.
 */
final class PermanentCauseWords {
  static final List<Phrase> WORDS =
      Phrase.alternatives(
          "api key | api-key | \\bunauthorized\\b | not authorized | \\bforbidden\\b | permission"
              + " denied | suspended | \\bbanned\\b | under review | subscription | does not exist"
              + " | doesn't exist | is invalid | invalid_api_key | out of memory | not supported |"
              + " unsupported | deprecated | discontinued | is too short | is too long | are too"
              + " long | was too long | too long for | prompt too long | input too long | text too"
              + " long | message too long | context too long | request too long | content too long"
              + " | context length | cannot unmarshal | policy violation | user approval | not"
              + " granted | check your base url | check the base url | check the configuration |"
              + " check your configuration | after pulling | for one request | enotfound undefined"
              + " | used up | invalid request | is required | \\bby user\\b | by the user | too"
              + " large | too big | must be | please upgrade | not implemented | not allowed |"
              + " content policy | \\bflagged\\b | certificate | \\bsign in\\b | \\blog in\\b |"
              + " \\brevoked\\b | unknown model | in your country | credentials expired | your"
              + " credits | out of credits | process images | gpu memory | system memory | have"
              + " expired | key expired | token expired | is expired | moderation policy | by"
              + " moderation | by the moderation | pressed stop | exceeds limit | exceeds the limit"
              + " | 证书 | 密钥 | 欠费 | 余额 | 额度 | 违规 | 敏感 | wrong url | invalid base url | wrong base"
              + " url | base url is | invalid url | url is invalid | not enough memory |"
              + " insufficient memory | max_tokens | context window | length limit | prompt is |"
              + " prompt must | invalid model | unknown tool | tool_call | \\bdeclined\\b | network"
              + " policy | usage policy | blocked by | behind a firewall | not configured |"
              + " misconfigured | overdue | unpaid | model not found | cannot be used | not enough"
              + " credits | is not set\\b | content filter | safety filter | safety settings | turn"
              + " aborted | interrupted (ctrl | error executing tool | toolexecutionerror | mcp"
              + " error: | mcp error -326 | mcp error -327 | rejected your | withheld | deployment"
              + " name | your plan doesn't | content rules | api credentials | your credentials |"
              + " (safety) | upgrade to pro | missing environment | requires authentication |"
              + " invalid host | for this account | shorten your | not a valid number | policy"
              + " reasons | unknown encoding");

  /**
   * Where these stand, a rate limit is a spent quota (see {@link RateLimitWindow}); the rest is
   * doubted.
   */
  static final List<Phrase> WINDOWS =
      Phrase.alternatives("this month | per month | \\bmonthly\\b | tomorrow | per day | today");

  /**
   * Causes so plain that not even a status or a type such as {@code rate_limit_error} is believed
   * beside them: relays put their own status around everything.
   */
  static final List<Phrase> LASTING =
      Phrase.alternatives(
          "subscribe to continue | no active subscription | subscription does not | subscription"
              + " doesn't | trial has finished | trial is over | account overdue | account"
              + " suspended | account frozen | has been revoked | unpaid invoice | could not be"
              + " charged | no remaining budget | until next month | lifetime usage | requests for"
              + " your plan | upgrade your tier to | tier does not include | plan does not include"
              + " | does not include this model | purchase additional | insufficient permission |"
              + " no permission to | limit of * by itself | for this model is 0 | api key provided"
              + " is | unknown provider | is not configured | cannot deserialize request | request"
              + " body malformed | license expired | flagged by | region restricted | tool"
              + " definition | above model limit | unsupported content type | invalid deployment"
              + " config | ^user not found$ | key not found in | exceeded for tenant | spending cap"
              + " | spending limit | per-request limit | billing period | billing cycle | have no"
              + " quota | balance is used up | missing required field | tool result without");

  /** A shape that says nothing but that there are words. */
  private static final Set<String> SENTENCE = Set.of("sentence");

  private PermanentCauseWords() {}

  /**
   * Whether {@code rule} would retry because of a status, a type or words, and no narrower name.
   */
  static boolean concernAtAll(Rule rule) {
    var when = rule.when();
    return rule.then().failureClass() == FailureClass.TRANSIENT
        && rule.then().kind() != Kind.CONFLICT
        && when.ending().isEmpty()
        && when.headers().isEmpty();
  }

  /** Whether {@code rule} would retry, and has nothing but words to go by. */
  static boolean concern(Rule rule) {
    var when = rule.when();
    var kind = rule.then().kind();
    return rule.then().failureClass() == FailureClass.TRANSIENT
        && kind != Kind.CLIENT_CLOSED
        && kind != Kind.TLS
        && kind != Kind.CONFLICT
        && !when.matches().isEmpty()
        && when.names().code().any()
        && when.names().type().any()
        && when.names().grpc().any()
        && when.names().aws().any()
        && when.names().finish().any()
        && (when.names().shape().any() || when.names().shape().holdsOne(SENTENCE))
        && when.ending().isEmpty()
        && when.headers().isEmpty();
  }
}
