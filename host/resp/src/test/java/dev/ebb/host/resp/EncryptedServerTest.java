package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.TestCertificate;
import dev.ebb.host.tls.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

/** Clients that use TLS. */
class EncryptedServerTest {

  private static final int MIB = 1 << 20;
  private static final long POOL = 64 * MIB;

  @TempDir private static Path folder;
  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate() {
    certificate = TestCertificate.of(folder, "server");
  }

  private static TlsFiles own() {
    return new TlsFiles(certificate.certificate(), certificate.key(), null);
  }

  private static Jedis client(RunningServer server, TlsFiles files) {
    return new Jedis(
        new HostAndPort("127.0.0.1", server.port()),
        DefaultJedisClientConfig.builder()
            .socketTimeoutMillis(60_000)
            .ssl(true)
            .sslSocketFactory(files.client().getSocketFactory())
            .build());
  }

  @Test
  void valuesOfAnySizeArriveWhole() {
    Random random = new Random(5);
    try (RunningServer server = RunningServer.encrypted(POOL, own());
        Jedis client = client(server, new TlsFiles(null, null, certificate.certificate()))) {
      for (int size : List.of(0, 1, 4_096, 16_384, 65_537, 3 * MIB + 17)) {
        byte[] value = new byte[size];
        random.nextBytes(value);
        byte[] key = ("k" + size).getBytes(StandardCharsets.UTF_8);
        assertThat(client.set(key, value)).isEqualTo("OK");
        assertThat(client.get(key)).isEqualTo(value);
        assertThat(client.getrange(key, size / 2, size)).hasSize(size - size / 2);
      }
    }
  }

  @Test
  void manyLargeRepliesAreSentToASlowReader() {
    byte[] value = new byte[MIB];
    new Random(7).nextBytes(value);
    byte[] key = {'k'};
    try (RunningServer server = RunningServer.encrypted(POOL, own());
        Jedis client = client(server, new TlsFiles(null, null, certificate.certificate()))) {
      client.set(key, value);
      Pipeline pipeline = client.pipelined();
      List<Response<byte[]>> replies = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        replies.add(pipeline.get(key));
      }
      pipeline.sync();
      assertThat(replies).allSatisfy(reply -> assertThat(reply.get()).isEqualTo(value));
      Awaiting.until(() -> server.store().stats().reading() == 0);
    }
  }

  @Test
  void aClientWithoutTlsIsDisconnectedAndOthersAreServed() throws IOException {
    try (RunningServer server = RunningServer.encrypted(POOL, own())) {
      try (RawClient plain = new RawClient(server.port())) {
        plain.send("AUTH", "s3cret");
        assertThat(plain.closed()).isTrue();
      }
      try (Jedis client = client(server, new TlsFiles(null, null, certificate.certificate()))) {
        assertThat(client.ping()).isEqualTo("PONG");
      }
      Awaiting.until(() -> server.server().stats().connections() == 0);
    }
  }

  @Test
  void withAuthoritiesClientsNeedACertificate() {
    TlsFiles mutual =
        new TlsFiles(certificate.certificate(), certificate.key(), certificate.certificate());
    try (RunningServer server = RunningServer.encrypted(POOL, mutual)) {
      assertThatThrownBy(
              () -> {
                try (Jedis anonymous =
                    client(server, new TlsFiles(null, null, certificate.certificate()))) {
                  anonymous.ping();
                }
              })
          .isInstanceOf(JedisException.class);
      try (Jedis known = client(server, mutual)) {
        assertThat(known.ping()).isEqualTo("PONG");
      }
    }
  }
}
