package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.ProviderObjects;
import dev.mainstay.ledger.state.ProviderObjects.CreatedObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which target and key made what a provider keeps. */
public abstract class ProviderObjectsContract extends StateContract {
  private static final CreatedObject RESPONSE =
      new CreatedObject("resp_1", "one", "gpt", "key-a", "team", false);
  private static final CreatedObject FILE =
      new CreatedObject("file-1", "two", "", "key-b", "", true);

  private List<CreatedObject> find(Instant at, String... ids) {
    return now(state.providerObjects().find(List.of(ids), at));
  }

  private boolean remember(CreatedObject... objects) {
    return now(state.providerObjects().remember(List.of(objects), NOON));
  }

  @Test
  void whatIsRememberedIsFoundAlsoByTheNextProcess() throws Exception {
    assertThat(remember(FILE, RESPONSE)).isTrue();
    assertThat(find(NOON, "resp_1", "file-0", "file-1")).containsExactly(RESPONSE, FILE);
    reopen(NOON, TestStore.ROOMY);
    assertThat(find(NOON, "resp_1", "file-1")).containsExactly(RESPONSE, FILE);
    assertThat(find(NOON, "resp_")).isEmpty();
  }

  @Test
  void anotherProcessOnTheStoreFindsIt() throws Exception {
    if (!severalAtOnce()) {
      return;
    }
    var other = store.open(NOON, TestStore.ROOMY);
    try {
      remember(RESPONSE);
      assertThat(now(other.state().providerObjects().find(List.of("resp_1"), NOON)))
          .containsExactly(RESPONSE);
    } finally {
      other.close().run();
    }
  }

  /** Whether this kind of store may be open in several processes. */
  protected boolean severalAtOnce() {
    return false;
  }

  @Test
  void anObjectStaysItsFirstClients() {
    remember(RESPONSE);
    remember(new CreatedObject("resp_1", "one", "gpt", "key-c", "thief", false));
    assertThat(find(NOON, "resp_1")).containsExactly(RESPONSE);
    var again = new CreatedObject("resp_1", "one", "gpt", "key-c", "team", false);
    remember(again);
    assertThat(find(NOON, "resp_1")).containsExactly(again);
  }

  @Test
  void ofOneIdAtTwoProvidersTheNewestComesFirst() {
    var other = new CreatedObject("resp_1", "two", "gpt", "key-b", "team", false);
    remember(RESPONSE);
    remember(other);
    assertThat(find(NOON, "resp_1")).containsExactly(other, RESPONSE);
  }

  @Test
  void whatACallLeavesIsForgottenAfterAMonthAndAFileWhenItWasNotUsedForAYear() throws Exception {
    remember(RESPONSE, FILE);
    var month = NOON.plus(Duration.ofDays(32));
    assertThat(find(month, "resp_1", "file-1")).containsExactly(FILE);
    var used = NOON.plus(Duration.ofDays(300));
    assertThat(find(used, "file-1")).containsExactly(FILE);
    var later = NOON.plus(Duration.ofDays(600));
    assertThat(find(later, "file-1")).containsExactly(FILE);
    assertThat(find(later.plus(Duration.ofDays(401)), "file-1")).isEmpty();
    reopen(later, TestStore.ROOMY);
    // The first thing that a state does is to delete what is too old; the next waits for that.
    assertThat(find(later, "file-1")).containsExactly(FILE);
    assertThat(store.number("select count(*) from provider_objects where id = 'resp_1'")).isZero();
    assertThat(store.number("select count(*) from provider_objects")).isEqualTo(1);
  }

  @Test
  void anIdThatIsNoneIsNotKept() {
    var longest = "x".repeat(ProviderObjects.LONGEST_ID);
    remember(
        new CreatedObject("", "one", "", "", "", true),
        new CreatedObject(longest + "x", "one", "", "", "", true));
    assertThat(find(NOON, "", longest + "x")).isEmpty();
    var kept = new CreatedObject(longest, "one", "", "", "", true);
    remember(kept);
    assertThat(find(NOON, longest)).containsExactly(kept);
  }
}
