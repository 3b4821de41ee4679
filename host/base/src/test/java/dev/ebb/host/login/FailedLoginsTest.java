package dev.ebb.host.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {

  private final AtomicLong now = new AtomicLong();
  private final FailedLogins logins = new FailedLogins("test", now::get);

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

  private int guesses(String address, int tries) {
    int checked = 0;
    for (int i = 0; i < tries; i++) {
      if (logins.allows(address)) {
        logins.add(address);
        checked++;
      }
    }
    return checked;
  }
}
