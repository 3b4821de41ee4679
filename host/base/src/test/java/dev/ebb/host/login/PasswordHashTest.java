package dev.ebb.host.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordHashTest {

  private static final int FEW = 100_000;

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"p\u00e4ssw\u00f6rd \ud83d\udd11", " ", "with:colons=and/slashes"})
  void onlyTheRightPasswordMatches(String password) {
    PasswordHash hash = PasswordHash.of(password.toCharArray(), FEW);
    PasswordHash read = PasswordHash.parse(hash.encoded()).orElseThrow();

    assertThat(read.matches(utf8(password))).isTrue();
    assertThat(read.matches(utf8(password + "x"))).isFalse();
    assertThat(read.encoded()).isEqualTo(hash.encoded()).doesNotContain(password + ":");
    assertThat(read.toString()).doesNotContain(read.encoded());
  }

  /** Made with {@code hashlib.pbkdf2_hmac("sha256", b"secret", bytes(range(16)), 100000)}. */
  @Test
  void hashesAreThoseOfOtherTools() {
    PasswordHash hash = PasswordHash.parse(PYTHON).orElseThrow();

    assertThat(hash.matches(utf8("secret"))).isTrue();
    assertThat(hash.matches(new byte[0])).isFalse();
    assertThat(hash.matches(new byte[] {(byte) 0xff, 1})).isFalse();
  }

  private static final String PYTHON =
      "pbkdf2-sha256:100000:AAECAwQFBgcICQoLDA0ODw==:n7ndPI4pRDZreIx+eVpaY1DViEWyo9Ia1l8HtVGB+Dc=";

  @Test
  void eachHashHasASaltOfItsOwn() {
    assertThat(PasswordHash.of("a".toCharArray(), FEW).encoded())
        .isNotEqualTo(PasswordHash.of("a".toCharArray(), FEW).encoded());
  }

  @Test
  void noPasswordHasTheUnknownHash() {
    PasswordHash few = PasswordHash.of("secret".toCharArray(), FEW);

    assertThat(PasswordHash.unknown(List.of()).encoded())
        .startsWith("pbkdf2-sha256:" + PasswordHash.ITERATIONS + ":");
    PasswordHash unknown = PasswordHash.unknown(List.of(few));
    assertThat(unknown.encoded()).startsWith("pbkdf2-sha256:" + FEW + ":");
    assertThat(unknown.matches(utf8("secret"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret",
        "pbkdf2-sha256:100000:AAECAwQFBgcICQoLDA0ODw==:",
        "pbkdf2-sha256:99999:AAECAwQFBgcICQoLDA0ODw==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "pbkdf2-sha256:20000000:AAECAwQFBgcICQoLDA0ODw==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "pbkdf2-sha1:100000:AAECAwQFBgcICQoLDA0ODw==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "pbkdf2-sha256:100000:AAECAwQFBgcICQoLDA0ODw==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= "
      })
  void anythingElseIsNotAHash(String text) {
    assertThat(PasswordHash.parse(text)).isEmpty();
  }

  @Test
  void tooFewIterationsAreRefused() {
    assertThatThrownBy(() -> PasswordHash.of("a".toCharArray(), 1_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'1000'");
  }
}
