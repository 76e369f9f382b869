package dev.mainstay.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptSizeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          This model's maximum context length is 4097 tokens. However, you requested 4431 tokens (3431 in the messages, 1000 in the completion). | prompt-fits
          maximum context length is 2049 tokens, however you requested 2054 tokens (2049 in your prompt, 5 for the completion). | prompt-over
          `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2019 `inputs` tokens and 30 `max_new_tokens` | prompt-fits
          maximum context length is 200000 tokens. However, you requested about 264102 tokens (136102 of text input, 128000 in the output) | prompt-fits
          input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000 | prompt-fits
          input length and `max_tokens` exceed context limit: 205,000 + 8192 > 200,000 | prompt-over
          """)
  void doesTheSum(String words, String shape) {
    assertThat(PromptSize.shape(words)).isEqualTo(shape);
  }

  @Test
  void withoutNumbersNothingIsSaid() {
    assertThat(PromptSize.shape("prompt is too long: 208310 tokens > 200000 maximum")).isNull();
    assertThat(PromptSize.shape("context length is tokens")).isNull();
  }
}
