package dev.ebb.host.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Changes the security providers of the process, so nothing else may run meanwhile. */
@Isolated
class Sha256Test {

  private static final byte[] ABC = "abc".getBytes(StandardCharsets.US_ASCII);

  /** The example of FIPS 180-2, appendix B.1. */
  private static final String OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  private static final class Failing extends Provider {

    private static final long serialVersionUID = 1;

    Failing() {
      super("Failing", "1", "");
    }

    @Override
    public synchronized Service getService(String type, String algorithm) {
      throw new IllegalStateException("no " + algorithm);
    }
  }

  @Test
  void worksWithAProviderThatFails() {
    assertThat(ofAbc()).isEqualTo(OF_ABC);
    Security.insertProviderAt(new Failing(), 1);
    try {
      assertThatThrownBy(() -> MessageDigest.getInstance("SHA-256"))
          .isInstanceOf(IllegalStateException.class);
      assertThat(ofAbc()).isEqualTo(OF_ABC);
    } finally {
      Security.removeProvider("Failing");
    }
  }

  @Test
  void digestsAreIndependent() {
    MessageDigest used = Sha256.digest();
    used.update(ABC);
    assertThat(ofAbc()).isEqualTo(OF_ABC);
    assertThat(HexFormat.of().formatHex(used.digest())).isEqualTo(OF_ABC);
  }

  private static String ofAbc() {
    return HexFormat.of().formatHex(Sha256.digest().digest(ABC));
  }
}
