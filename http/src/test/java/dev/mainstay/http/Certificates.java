package dev.mainstay.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A self-signed certificate for 127.0.0.1 and its key as PEM files, made by the JDK's keytool. */
record Certificates(Path cert, Path key) {
  static Certificates make(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve("keys.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var made =
        new ProcessBuilder(
                keytool,
                "-genkeypair",
                "-alias",
                "k",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=test",
                "-ext",
                "SAN=IP:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                "secret",
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    if (made.waitFor() != 0) throw new IOException(Files.readString(folder.resolve("keytool.log")));
    var keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    return new Certificates(
        pem(folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("k").getEncoded()),
        pem(
            folder.resolve("key.pem"),
            "PRIVATE KEY",
            keys.getKey("k", "secret".toCharArray()).getEncoded()));
  }

  private static Path pem(Path file, String label, byte[] bytes) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
  }
}
