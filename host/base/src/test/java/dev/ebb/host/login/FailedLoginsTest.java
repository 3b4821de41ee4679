package dev.ebb.host.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {

  private final AtomicLong now = new AtomicLong();
  private final FailedLogins logins = new FailedLogins("test", now::get);
  private int guess;

  @Test
  void anAddressHasTenGuessesAndThenOneEachSecond() {
    assertThat(guesses("1.2.3.4", 1_000)).isEqualTo(10);
    assertThat(guesses("1.2.3.5", 1_000)).isEqualTo(10);
    for (int second = 0; second < 5; second++) {
      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(guesses("1.2.3.4", 1_000)).isEqualTo(1);
    }
    now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    assertThat(guesses("1.2.3.4", 1_000)).isEqualTo(10);
    assertThat(logins.count()).isEqualTo(35);
  }

  @Test
  void aClientThatRepeatsAWrongPasswordDoesNotRefuseOthersOfItsAddress() {
    for (int i = 0; i < 100; i++) {
      assertThat(login("1.2.3.4", false, "old")).isEqualTo(FailedLogins.Result.WRONG);
      assertThat(login("1.2.3.4", true, "secret")).isEqualTo(FailedLogins.Result.ACCEPTED);
    }
    assertThat(logins.count()).isOne();
    assertThat(guesses("1.2.3.4", 1_000)).isEqualTo(9);
    assertThat(login("1.2.3.4", true, "secret")).isEqualTo(FailedLogins.Result.LIMITED);
  }

  @Test
  void aPasswordRepeatedBetweenGuessesStaysKnown() {
    login("1.2.3.4", false, "old");
    for (int second = 0; second < 100; second++) {
      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      guesses("1.2.3.4", 2);
      assertThat(login("1.2.3.4", false, "old")).isEqualTo(FailedLogins.Result.WRONG);
    }
  }

  @Test
  void aSlowCheckIsSavedForKnownPasswordsAndLimitedAddresses() {
    byte[] wrong = "old".getBytes(StandardCharsets.UTF_8);
    byte[] other = "other".getBytes(StandardCharsets.UTF_8);
    assertThat(logins.unchecked("1.2.3.4", wrong)).isEmpty();
    logins.check("1.2.3.4", false, wrong);
    assertThat(logins.unchecked("1.2.3.4", wrong)).contains(FailedLogins.Result.WRONG);
    assertThat(logins.unchecked("1.2.3.4", other)).isEmpty();
    guesses("1.2.3.4", 1_000);
    assertThat(logins.unchecked("1.2.3.4", other)).contains(FailedLogins.Result.LIMITED);
    assertThat(logins.unchecked("1.2.3.5", other)).isEmpty();
    assertThat(logins.count()).isEqualTo(10);
  }

  private FailedLogins.Result login(String address, boolean right, String password) {
    return logins.check(address, right, password.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns how many of different guesses were checked. */
  private int guesses(String address, int tries) {
    int checked = 0;
    for (int i = 0; i < tries; i++) {
      if (login(address, false, "guess" + guess++) == FailedLogins.Result.WRONG) {
        checked++;
      }
    }
    return checked;
  }
}
