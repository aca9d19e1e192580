//! Encrypted connections to the server.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The value of `sslrootcert` for the authorities that this program has built in.
const BUILT_IN: &str = "system";

/// Returns the mode of the client and its TLS for the parameters `sslmode` and `sslrootcert` of an
/// address, or the problem with them. They mean what they mean to libpq.
pub(crate) fn parse(
    mode: Option<&str>,
    authorities: Option<&str>,
) -> Result<(SslMode, MakeRustlsConnect), String> {
    let is_named = authorities.is_some_and(|authorities| authorities != BUILT_IN);
    let (ssl_mode, checks_chain, checks_name) = match mode {
        // Whoever names the built-in authorities wants the check that they are good for.
        None if authorities.is_some() && !is_named => (SslMode::Require, true, true),
        None | Some("prefer") => (SslMode::Prefer, is_named, false),
        Some("disable") => (SslMode::Disable, false, false),
        Some("require") => (SslMode::Require, is_named, false),
        Some("verify-ca") => (SslMode::Require, true, false),
        Some("verify-full") => (SslMode::Require, true, true),
        Some(_) => {
            return Err("sslmode must be disable, prefer, require, verify-ca or verify-full".to_owned());
        }
    };
    if checks_chain && !checks_name && !is_named {
        return Err(
            "sslmode=verify-ca needs sslrootcert=FILE, since anybody gets a certificate from a public authority"
                .to_owned(),
        );
    }
    let trusted = match authorities {
        _ if !checks_chain => None,
        Some(file) if is_named => Some(Trusted::read(Path::new(file))?),
        _ => Some(Trusted {
            roots: RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            certificates: Vec::new(),
        }),
    };
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring supports the versions that rustls has by default")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier {
            trusted,
            checks_name,
            provider,
        }))
        .with_no_client_auth();
    Ok((ssl_mode, MakeRustlsConnect::new(config)))
}

#[derive(Debug)]
struct Trusted {
    roots: RootCertStore,
    /// The same. A server that vouches for itself has one of them.
    certificates: Vec<CertificateDer<'static>>,
}

impl Trusted {
    fn read(file: &Path) -> Result<Trusted, String> {
        let bad = |reason: String| format!("can't use {} as sslrootcert: {reason}", file.display());
        let certificates = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| bad(error.to_string()))?;
        let mut roots = RootCertStore::empty();
        // Lists of authorities may have old ones that can't be parsed.
        match roots.add_parsable_certificates(certificates.iter().cloned()) {
            (0, _) => Err(bad("there is no certificate in it".to_owned())),
            _ => Ok(Trusted { roots, certificates }),
        }
    }
}

/// Describes the refusal of a server by this program: the reason, and the remedy.
pub(crate) fn refusal(error: &Error) -> (String, &'static str) {
    match error {
        // An authority of the same name with another key is a stranger too.
        Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => (
            "its certificate is signed by no trusted authority".to_owned(),
            "Name the file with the certificate of its authority by sslrootcert",
        ),
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => (
            "its certificate is for another name".to_owned(),
            "Write a name of the certificate into the address, or use sslmode=verify-ca",
        ),
        // Such as one that vouches for itself.
        Error::InvalidCertificate(CertificateError::Other(reason)) => (
            format!("its certificate can't be trusted: {reason}"),
            "Name a file with the certificate itself by sslrootcert, or replace it",
        ),
        other => (other.to_string(), "Correct the certificate of the server"),
    }
}

/// Checks as much of a certificate as the mode asks for, and the signatures of the handshake.
#[derive(Debug)]
struct Verifier {
    /// `None` if certificates may be signed by anybody.
    trusted: Option<Trusted>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(trusted) = &self.trusted {
            let parsed = ParsedCertificate::try_from(certificate)?;
            if !trusted.certificates.contains(certificate) {
                let (roots, algorithms) = (
                    &trusted.roots,
                    self.provider.signature_verification_algorithms.all,
                );
                verify_server_cert_signed_by_trust_anchor(&parsed, roots, intermediates, now, algorithms)?;
            }
            if self.checks_name {
                verify_server_name(&parsed, name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
