package hostname

import "testing"

func TestAddress(t *testing.T) {
	for _, row := range []struct {
		host string
		want Address
	}{
		{"python.org", Public},
		{"8.8.8.8", Public},
		{"[2606:4700::1111]", Public},
		{"172.15.255.255", Public},
		{"172.32.0.0", Public},
		{"100.63.255.255", Public},
		{"100.128.0.0", Public},

		{"169.254.169.254", Metadata},
		{"169.254.170.2", Metadata},
		{"100.100.100.200", Metadata},
		{"168.63.129.16", Metadata},
		{"[fd00:ec2::254]", Metadata},
		{"[fd00:ec2:0:0:0:0:0:254]", Metadata},
		{"metadata", Metadata},
		{"METADATA.google.internal.", Metadata},
		{"instance-data", Metadata},
		{"instance-data.ec2.internal", Metadata},
		{"x.metadata.google.internal", Metadata},
		{"metadata.google.internal.evil.com", Public},
		{"x.metadata", Public},

		{"127.0.0.1", Loopback},
		{"127.255.255.254", Loopback},
		{"[::1]", Loopback},
		{"localhost", Loopback},
		{"a.b.localhost", Loopback},
		{"LOCALHOST.", Loopback},
		{"localhost.evil.com", Public},
		{"notlocalhost", Public},
		{"ip6-localhost", Loopback},

		{"0.0.0.0", Unspecified},
		{"0.1.2.3", Unspecified},
		{"[::]", Unspecified},

		{"10.0.0.1", Private},
		{"172.16.0.1", Private},
		{"172.31.255.255", Private},
		{"192.168.1.1", Private},
		{"100.64.0.1", Private},
		{"[fc00::1]", Private},
		{"[fd12:3456::1]", Private},
		{"[fec0::1]", Private},
		{"[64:ff9b:1::1]", Private},
		{"host.docker.internal", Private},
		{"db.prod.internal", Private},
		{"printer.local", Private},
		{"nas.home.arpa", Private},
		{"wiki.corp", Private},
		{"router.lan", Private},
		{"10-0-0-1.db.internal", Private},
		{"internal.example.com", Public},
		{"local", Public},
		{"thelan", Public},
		{"my.notlocal", Public},
		{"api.default.svc.cluster.local", Private},

		{"169.254.1.1", LinkLocal},
		{"[fe80::1]", LinkLocal},
		{"[febf::1]", LinkLocal},
		{"224.0.0.1", Multicast},
		{"[ff02::1]", Multicast},
		{"240.0.0.1", Reserved},
		{"255.255.255.255", Reserved},
		{"192.0.2.1", Reserved},
		{"198.18.0.1", Reserved},
		{"[2001:db8::1]", Reserved},
		{"[100::1]", Reserved},
		{"[4000::1]", Reserved},

		// An IPv4 address inside an IPv6 one.
		{"[::ffff:169.254.169.254]", Metadata},
		{"[::ffff:a9fe:a9fe]", Metadata},
		{"[0:0:0:0:0:ffff:7f00:1]", Loopback},
		{"[::ffff:8.8.8.8]", Public},
		{"[::127.0.0.1]", Loopback},
		{"[::a9fe:a9fe]", Metadata},
		{"[::ffff:0:10.0.0.1]", Private},
		{"[64:ff9b::169.254.169.254]", Metadata},
		{"[64:ff9b::a00:1]", Private},
		{"[64:ff9b::8.8.8.8]", Public},
		{"[2002:a9fe:a9fe::1]", Metadata},
		{"[2002:7f00:1::]", Loopback},
		{"[2002:808:808::]", Public},
		{"[2001:0:4136:e378:8000:63bf:5601:5601]", Metadata},
		{"[2001:0:4136:e378:8000:63bf:f5ff:fffe]", Private},
	} {
		if got := mustParse(t, "http://"+row.host+"/").Address(); got != row.want {
			t.Errorf("%s: got %s, want %s", row.host, got, row.want)
		}
	}
	if got := (URL{}).Address(); got == Public || Address(0) == Public {
		t.Errorf("the zero URL or Address is %s", got)
	}
	if Address(200).String() != "unspecified" || Public.String() != "public" {
		t.Error("names of addresses are shifted")
	}
}

func TestNetworks(t *testing.T) {
	list, err := ParseNetworks([]string{"10.0.0.0/8", "fd00:1::/32", "192.168.1.7", "::1", "localhost", " nas.example.com ", "::ffff:172.16.0.9"})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"10.1.2.3":            true,
		"11.0.0.1":            false,
		"[::ffff:10.0.0.1]":   true,
		"[64:ff9b::10.0.0.1]": true,
		"[fd00:1::5]":         true,
		"[fd00:2::5]":         false,
		"192.168.1.7":         true,
		"192.168.1.8":         false,
		"172.16.0.9":          true,
		"[::1]":               true,
		"127.0.0.1":           false,
		"localhost":           true,
		"app.localhost":       false,
		"nas.example.com":     true,
		"x.nas.example.com":   true,
		"xnas.example.com":    false,
		"example.com":         false,
	} {
		if got := list.Contains(mustParse(t, "http://"+host+"/")); got != want {
			t.Errorf("%s: got %v", host, got)
		}
	}
	for text, kind := range map[string]Kind{
		"":                    KindEmpty,
		"10.0.0.1/8":          KindNetwork,
		"10.0.0.0/33":         KindNetwork,
		"::ffff:10.0.0.0/104": KindNetwork,
		"10.0.0.1:80":         KindNetwork,
		"http://10.0.0.1":     KindNetwork,
		"localhost/x":         KindNetwork,
		"10.0.0":              KindIPForm,
		"*.lan":               KindWildcard,
		"com":                 KindPublicSuffix,
		"fe80::1%eth0":        KindIPv6,
	} {
		if _, err := ParseNetworks([]string{"10.0.0.0/8", text}); kindOf(t, err) != kind {
			t.Errorf("%q: %v, want kind %q", text, err, kind)
		}
	}
}
