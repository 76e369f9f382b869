package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.FailureClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentences made up as traps: hopeful words, or a status, beside a cause that no wait mends. */
class HopefulWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "The provider rejected your prompt. Edit it and try again.",
        "Your workspace has no seats left. Ask an admin and try again.",
        "Model removed by provider. Pick another and try again",
        "Response contains nothing because the content was withheld for policy reasons",
        "Request to provider failed: wrong deployment name. Please try again.",
        "Something went wrong: your plan doesn't include this model",
        "Provider connection closed: certificate expired",
        "Answer truncated at the output limit",
        "Generation interrupted by user",
        "Response terminated by content rules",
        "The request took too long because the prompt exceeds the limit",
        "No message returned: quota used up",
        "Something went wrong. Please verify your API credentials and try again.",
        "Something went wrong while generating the response. Your account is out of messages for today.",
        "Request failed. Update your billing details and try again.",
        "Provider error: please choose a supported model and try again.",
        "Provider error: this model can't be used with tools. Try again without tools.",
        "The response could not be generated because the image format isn't readable. Try again with a PNG.",
        "Generation failed: content not permitted. Please try again with a different prompt.",
        "Please shorten your request and try again.",
        "Your request was declined. Please try again with other words.",
        "Please log in again and retry your request.",
        "Your session ended. Sign in and try again.",
        "Provider returned an error: key expired. Add a new one and try again.",
        "The service is offline for your subscription tier.",
        "Backend not running this model; choose another.",
        "Request interrupted: you pressed escape",
        "Response incomplete: hit the maximum length",
        "No response: your prompt was blocked",
        "No content returned (SAFETY)",
        "No output: finish reason was length",
        "The answer was dropped by the moderation layer",
        "Streaming is not enabled for your account",
        "Connection closed: too many tokens in request",
        "Connection terminated because your key was revoked",
        "The server closed the connection: payload too large",
        "Server busy for free users. Upgrade to Pro to continue.",
        "The model is busy only for free plan, upgrade your plan",
        "You have used all free requests, try again tomorrow",
        "Too many requests today. Come back tomorrow.",
        "You've sent too many messages this week. Try again next Monday.",
        "Rate limit: 0 requests allowed for this model on your plan",
        "Throttled: your monthly allowance is gone",
        "Timeout value must be at least 10 seconds",
        "Invalid timeout parameter",
        "Request timeout is not a valid number",
        "Unexpected response format: expected JSON but got HTML login page",
        "Malformed response schema in request",
        "The upstream provider refused your credentials",
        "Upstream error: invalid API key",
        "Upstream error: model not found",
        "Upstream returned: context too long",
        "Gateway error: budget exceeded",
        "Internal error: unsupported model",
        "Internal error: invalid tool schema",
        "Internal server error: missing environment variable OPENAI_API_KEY",
        "Unexpected error: user is not allowed to use this model",
        "An error occurred: please add funds",
        "An unexpected error occurred: your region is not supported",
        "Failed to get response: account disabled",
        "Failed to fetch: blocked by CORS policy",
        "Failed to fetch models: unauthorized",
        "Network error: proxy requires authentication",
        "Network policy forbids access to api.openai.com",
        "Could not connect: the API key is missing",
        "Cannot connect to provider because no base URL is set",
        "Connection failed: invalid host name in settings",
        "Connection test failed: wrong endpoint",
        "Server error 500: prompt is too long",
        "Stream error: content policy violation",
        "Stream error: invalid request",
        "Stream ended: max_tokens reached",
        "Stream closed: user cancelled",
        "SSE error: insufficient quota",
        "Empty prompt",
        "Empty API key",
        "Empty messages array",
        "No model response: model not loaded, load it first",
        "Nothing returned: file type not supported",
        "Service unavailable in your country",
        "Service unavailable for this account",
        "Service temporarily disabled by administrator",
        "Temporarily unavailable: your account is under review",
        "Overloaded prompt: too many images",
        "Maximum retries exceeded: authentication failed",
        "Retrying... still failing: insufficient balance",
        "All providers failed: invalid API key",
        "All fallbacks failed: context length exceeded"
      })
  void areNotBelievedBesideALastingCause(String message) {
    var facts = new Facts("openai", Where.CLIENT, null, Headers.none(), null, message, null);
    assertThat(Classifier.standard().classify(facts).failureClass())
        .isNotEqualTo(FailureClass.TRANSIENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "You have run out of credits for this month.",
        "Your trial has finished. Subscribe to continue.",
        "Free tier does not include this model.",
        "This API key has no remaining budget.",
        "You have reached the maximum number of requests for your plan.",
        "Daily request cap reached.",
        "Spending cap hit for project.",
        "Account overdue.",
        "Please upgrade your tier to use this model.",
        "Your organization has exceeded its monthly spend.",
        "Weekly token allowance exhausted.",
        "Quota for this model is 0 in your region.",
        "Request of 250000 tokens exceeds the per-request limit.",
        "Input exceeds the tokens-per-minute limit of 10000 by itself.",
        "Account suspended for abuse.",
        "Your access to this model has been revoked.",
        "Unpaid invoices on account.",
        "No active subscription found for this key.",
        "You've used 100% of your included usage for this billing period.",
        "Limit of 50 images per day reached.",
        "Fair use policy limit reached until next month.",
        "Max lifetime usage for demo key reached.",
        "Tokens per day limit exceeded for organization.",
        "Requests per month limit exceeded.",
        "You have no quota for gpt-5 on this deployment.",
        "Purchase additional units to continue.",
        "Your prepaid balance is used up.",
        "Your card could not be charged.",
        "Key disabled due to spending limit.",
        "Insufficient permissions to use batch tier."
      })
  void norIsATooManyRequests(String message) {
    for (int status : new int[] {429}) {
      for (var type : new String[] {"null", "\"rate_limit_error\""}) {
        var body = "{\"error\":{\"message\":\"" + message + "\",\"type\":" + type + "}}";
        var facts = new Facts("openai", Where.HTTP, status, Headers.none(), body, null, null);
        assertThat(Classifier.standard().classify(facts).failureClass())
            .isNotEqualTo(FailureClass.TRANSIENT);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Invalid deployment configuration: model path missing",
        "Unauthorized: token expired",
        "The API key provided is wrong",
        "Model gpt-9 is not deployed on this gateway",
        "No permission to call this model",
        "Your subscription does not include this model",
        "prompt tokens exceed context window",
        "image exceeds the size limit",
        "invalid tool definition: name missing",
        "tool result without tool call",
        "response_format is not supported",
        "max_tokens above model limit",
        "Blocked by guardrail",
        "Prompt flagged by safety classifier",
        "Payment required for this model",
        "Account frozen",
        "Region restricted",
        "Request body malformed",
        "Unsupported content type application/xml",
        "License expired",
        "Quota exceeded for tenant",
        "Key not found in store",
        "User not found",
        "Budget exhausted for team",
        "Unknown provider: foo",
        "Provider foo is not configured",
        "Missing credentials for provider",
        "Missing required field: model",
        "Cannot deserialize request",
        "Upstream returned 401",
        "upstream status 403 Forbidden",
        "upstream error: 404 Not Found",
        "upstream request rejected: 422 Unprocessable Entity",
        "bad request to upstream: 400"
      })
  void norIsAServerError(String message) {
    for (int status : new int[] {500, 502, 503}) {
      for (var type : new String[] {"null", "\"server_error\""}) {
        var body = "{\"error\":{\"message\":\"" + message + "\",\"type\":" + type + "}}";
        var facts = new Facts("openai", Where.HTTP, status, Headers.none(), body, null, null);
        assertThat(Classifier.standard().classify(facts).failureClass())
            .isNotEqualTo(FailureClass.TRANSIENT);
      }
    }
  }
}
